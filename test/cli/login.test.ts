import { expect, it, describe } from "vitest";

import { connectCode } from "#contract/endpoints/connect/connect-code.ts";
import { jsonOf } from "./support/command.ts";
import { Shown, shownBy, useDesktops } from "./support/desktop.ts";

const desktops = useDesktops();
const { cli } = desktops;

describe("gantry login by the browser", () => {
  it("prints an address and a code, and gets the token when the person has allowed it", async () => {
    const desktop = desktops.newDesktop();
    const login = cli.start(["login", desktops.gantry.url, "--no-browser"], { env: desktop.env });
    const { challenge, code, address, port } = await shownBy(login, "stderr");
    // Passkeys do not work at an IP address.
    const { port: sitePort } = new URL(desktops.gantry.url);
    expect(address).toMatch(new RegExp(`^http://localhost:${sitePort}/app/connect#`));
    expect(code).toBe(connectCode(challenge));
    expect(port).toBeUndefined();
    expect((await desktops.allow(challenge, "0000-0000")).status).toBe(422);
    expect((await desktops.allow(challenge, code)).status).toBe(201);
    const ended = await login.ended;
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("as Grace, ") });
    expect(ended.stdout).toContain('with the token "laptop"');
    const shown = await cli.run(["whoami", "--json"], { env: desktop.env });
    expect(Shown.parse(jsonOf(shown.stdout))).toMatchObject({
      token: { name: "laptop" },
      member: { name: "Grace" },
    });
  });
});

describe("a keyring", () => {
  const signIn = async (env: NodeJS.ProcessEnv) =>
    await cli.run(["login", desktops.gantry.url, "--with-token"], { env, input: desktops.gantry.token });

  it("has the token, which is then neither in the file nor in an argument", async () => {
    const desktop = desktops.newDesktop();
    const signedIn = await signIn(desktop.env);
    expect(signedIn).toMatchObject({ code: 0, stdout: expect.stringContaining("It is in the keyring.") });
    expect(desktop.config()).not.toContain("gantry_");
    expect(desktop.keyring()).toEqual({
      [`service gantry url ${desktops.gantry.url}`]: desktops.gantry.token,
    });
    expect(await cli.run(["whoami"], { env: desktop.env })).toMatchObject({ code: 0, stderr: "" });
    expect(await cli.run(["logout"], { env: desktop.env })).toMatchObject({ code: 0 });
    expect(desktop.keyring()).toEqual({});
    expect((await cli.run(["whoami"], { env: desktop.env })).code).toBe(3);
  });
});
