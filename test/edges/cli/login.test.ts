import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { eventually } from "../../support/faults/eventually.ts";
import { jsonOf } from "../../cli/support/command.ts";
import { fragmentOf, Shown, shownBy, useDesktops } from "../../cli/support/desktop.ts";

const desktops = useDesktops();
const { cli } = desktops;

describe("gantry login by the browser", () => {
  it("completes by itself where the browser is on the same machine, and only with the proof of the page", async () => {
    const desktop = desktops.newDesktop();
    const env = { ...desktop.env, DISPLAY: ":0" };
    const login = cli.inTerminal(["login", desktops.gantry.url], { env });
    await login.printed("stdout", `Token for ${desktops.gantry.url}: `);
    login.type("\r");
    const { code, port } = await shownBy(login, "stdout");
    // Who opens the printed address may be at another machine.
    expect(port).toBeUndefined();
    await eventually("the browser is opened", () => desktop.opened() !== null);
    const opened = fragmentOf(desktop.opened() ?? "");
    const proof = "TheVerifierOfTheExampleIsNotASecretAtAll000";
    const proofChallenge = createHash("sha256").update(proof).digest("base64url");
    expect((await desktops.allow(opened.challenge, code, { proof_challenge: proofChallenge })).status).toBe(
      201,
    );

    const local = `http://127.0.0.1:${opened.port}`;
    for (const path of ["/?proof=short", "/?proof=", "/favicon.ico", "//", "/?proof=%"])
      expect((await fetch(local + path, { redirect: "manual" })).status).toBe(404);
    // Any page can send the browser there.
    const other = proof.replaceAll("T", "U");
    expect((await fetch(`${local}/?proof=${other}`, { redirect: "manual" })).status).toBe(303);
    const back = await fetch(`${local}/?proof=${proof}`, { redirect: "manual" });
    expect(back.headers.get("location")).toBe(
      `http://localhost:${new URL(desktops.gantry.url).port}/app/connect#connected`,
    );
    expect(await login.ended).toMatchObject({ code: 0, stdout: expect.stringContaining("Signed in to") });
    await expect(fetch(local)).rejects.toThrow();
  });

  it("prints the address to stderr with --json", async () => {
    const login = cli.start(["login", desktops.gantry.url, "--no-browser", "--json"], {
      env: desktops.newDesktop().env,
    });
    const { challenge, code } = await shownBy(login, "stderr");
    await desktops.allow(challenge, code);
    expect(Shown.parse(jsonOf((await login.ended).stdout)).member.name).toBe("Grace");
  });

  it("ends with 130 on Ctrl-C and stores nothing", async () => {
    const desktop = desktops.newDesktop();
    const login = cli.start(["login", desktops.gantry.url, "--no-browser"], { env: desktop.env });
    await shownBy(login, "stderr");
    login.child.kill("SIGINT");
    expect(await login.ended).toMatchObject({ code: 130, stdout: "" });
    expect(desktop.config()).toBeNull();
  });

  it.each([
    ["http://localhost:1", 5, "http://localhost:1 cannot be reached"],
    ["https://192.0.2.1", 2, "passkeys need a host name"],
  ])("shows no code for %s", async (url, code, message) => {
    const ended = await cli.run(["login", url, "--no-browser"], { env: desktops.newDesktop().env });
    expect(ended).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect(ended.stderr).not.toContain("type the code");
  });

  it("reads a token with --with-token", async () => {
    const input = `${desktops.gantry.token}\n`;
    const ended = await cli.run(["login", desktops.gantry.url, "--with-token"], {
      env: desktops.newDesktop().env,
      input,
    });
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('with the token "test"') });
    const both = await cli.run(["login", desktops.gantry.url, "--with-token", "--no-browser"], {
      env: desktops.newDesktop().env,
    });
    expect(both.code).toBe(2);
  });
});

describe("a keyring", () => {
  const signIn = async (env: NodeJS.ProcessEnv) =>
    await cli.run(["login", desktops.gantry.url, "--with-token"], { env, input: desktops.gantry.token });

  it("that fails leaves the token in the file", async () => {
    const desktop = desktops.newDesktop();
    const headless = { ...desktop.env, KEYRING_FILE: undefined };
    expect(await signIn(headless)).toMatchObject({ code: 0, stderr: "" });
    expect(desktop.config()).toContain(desktops.gantry.token);
    expect((await cli.run(["whoami"], { env: headless })).code).toBe(0);
    // A later sign-in with a keyring takes it out of the file.
    await signIn(desktop.env);
    expect(desktop.config()).not.toContain("gantry_");
    await cli.run(["logout"], { env: desktop.env });
    expect(desktop.keyring()).toEqual({});
  });

  it("that is locked is named in the message", async () => {
    const desktop = desktops.newDesktop();
    await signIn(desktop.env);
    const ended = await cli.run(["whoami"], { env: { ...desktop.env, KEYRING_FILE: undefined } });
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining("The keyring does not give") });
  });

  it("is not used with GANTRY_KEYRING=off", async () => {
    const desktop = desktops.newDesktop();
    await signIn({ ...desktop.env, GANTRY_KEYRING: "off" });
    expect(desktop.keyring()).toBeNull();
    const config = desktop.config() ?? "";
    expect(config).toContain(desktops.gantry.token);

    const file = join(desktop.env.XDG_CONFIG_HOME, "gantry", "config.json");
    writeFileSync(file, config.replaceAll(desktops.gantry.token, `gantry_${"x".repeat(43)}`));
    const unknown = await cli.run(["whoami"], { env: desktop.env });
    const hint = `Sign in again: gantry login ${desktops.gantry.url}`;
    expect(unknown).toMatchObject({ code: 3, stderr: expect.stringContaining(hint) });
  });
});
