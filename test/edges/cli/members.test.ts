import { beforeAll, describe, expect, it } from "vitest";

import { InvitationWithLink, Member } from "#contract/endpoints/members/schemas.ts";
import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { type Gantry, useGantry } from "../../openapi/support/gantry.ts";
import { createApi } from "../../support/journey-api.ts";
import { addMember, becomeOwner, fullToken, type Person } from "../../support/people.ts";
import { createCli, jsonOf } from "../../cli/support/command.ts";

const cli = createCli();
let gantry: Gantry;
let owner: Person;
/** Of the account, with all scopes. */
let token: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  gantry = await useGantry();
  owner = await becomeOwner(gantry.url, gantry.signInCode(), "Ada");
  token = await fullToken(owner);
  env = { GANTRY_URL: gantry.url, GANTRY_TOKEN: token };
  const api = createApi(gantry.url, token);
  const server = await run("servers", "add", "web-1", "192.0.2.11", "--json");
  const { id } = ServerCreated.parse(jsonOf(server.stdout));
  for (const name of ["shop", "blog"])
    await api.createProject({ name, server_id: id, repository: "https://example.com/shop.git" });
});

const run = (...args: string[]) => cli.run(args, { env });
const runAs = (secret: string, ...args: string[]) => cli.run(args, { env: { ...env, GANTRY_TOKEN: secret } });

/** A personal token with all scopes that the person has. */
async function personalToken({ api }: Person, scopes: readonly string[]): Promise<string> {
  const made = await api.call("POST", "/v1/me/tokens", { name: "laptop", scopes });
  return TokenWithSecret.parse(made.json).token;
}

describe("gantry members", () => {
  it.each([
    ["--days", "99"],
    ["--days", "0"],
    ["--email", "notmail"],
  ])("refuses an invitation with %s %s before it is sent", async (option, value) => {
    const ended = await run("members", "invite", "--grant", "viewer", option, value);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(`${option} must be`) });
  });

  it("says how to get a scope that a token lacks", async () => {
    const program = await createApi(gantry.url, token).call("POST", "/v1/tokens", {
      ...{ name: "program", scopes: ["projects:read"] },
    });
    const { token: secret } = TokenWithSecret.parse(program.json);
    expect((await runAs(secret, "members", "list")).stderr).toContain(
      `The token lacks the scope members:read. Sign in as a member: gantry login ${gantry.url}`,
    );
    const personal = await runAs(await personalToken(owner, ["projects:read"]), "members", "list");
    expect(personal.stderr).toContain(
      "You lack the scope members:read: your roles or this token do not include it.\n",
    );
  });

  it("changes roles, the name and the address, named by any of them", async () => {
    const person = await addMember(gantry.url, token, [{ role: "viewer" }], "Alan");
    const changed = await run(
      "members",
      "set",
      "Alan",
      "--grant",
      "deployer:shop",
      "--email",
      "alan@example.com",
    );
    expect(changed).toMatchObject({ code: 0, stderr: "" });
    expect(changed.stdout).toMatch(/^role\tdeployer:shop$/m);
    const renamed = await run("members", "set", "ALAN@example.com", "--name", "Alan T.", "--json");
    expect(Member.parse(jsonOf(renamed.stdout))).toMatchObject({ id: person.id, name: "Alan T." });
    const cleared = await run("members", "set", person.id, "--email", "", "--json");
    expect(Member.parse(jsonOf(cleared.stdout)).email).toBeNull();
    expect((await run("members", "set", "Alan T")).stderr).toContain("Pass --grant, --name or --email");
    expect((await run("members", "set", "Alan T", "--name", "A")).stderr).toContain("mean Alan T.?");
  });

  it("says what outlives a person before it removes them", async () => {
    const person = await addMember(gantry.url, token, [{ role: "admin" }], "Barbara");
    const body = { name: "her CI", scopes: ["deployments:write"] };
    const { id } = TokenWithSecret.parse((await person.api.call("POST", "/v1/tokens", body)).json);
    const asked = await run("members", "remove", "Barbara");
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining("Pass --yes") });
    expect(asked.stderr).toContain(`token her CI: gantry tokens revoke ${id}`);
    const removed = await run("members", "remove", "Barbara", "--yes");
    expect(removed).toMatchObject({ code: 0, stdout: "Barbara is removed.\n" });
    expect((await run("members")).stdout).not.toContain("Barbara");
    expect((await run("tokens")).stdout).toContain("her CI");
    expect((await run("members", "remove", "Barbara", "--yes")).code).toBe(4);
  });

  it("withdraws an invitation by its address or its ID", async () => {
    await run("members", "invite", "--email", "edsger@example.com", "--grant", "viewer");
    expect(await run("members", "withdraw", "edsger@example.com", "--yes")).toMatchObject({ code: 0 });
    const invited = await run("members", "invite", "--grant", "viewer", "--json");
    const { id } = InvitationWithLink.parse(jsonOf(invited.stdout));
    expect(await run("members", "withdraw", id, "--yes")).toMatchObject({ code: 0 });
    expect((await run("members", "withdraw", "edsger@example.com", "--yes")).stderr).toContain(
      "no open invitation for edsger@example.com",
    );
  });

  it("says how a grant must be written", async () => {
    const refused: [string[], string][] = [
      [[], "Pass at least one --grant"],
      [["--grant", "boss"], "boss is not a role"],
      [["--grant", "owner"], `${gantry.url}/app/members`],
      [["--grant", "viewer+tokens:write"], "after +, only deployments:approve and commands:run"],
      [["--grant", "viewer:"], "after the last colon, name projects"],
      [["--grant", "viewer+commands:run:shpo"], "mean shop?"],
      [["--grant", "viewer", "--project", "shop"], "--grant deployer:shop"],
      [["--grant", "viewer", "--days", "soon"], "must be a whole number"],
      [["--role", "viewer"], "Use --grant viewer"],
    ];
    for (const [args, message] of refused) {
      const ended = await run("members", "invite", ...args);
      expect(ended.code, ended.stderr).not.toBe(0);
      expect(ended.stderr).toContain(message);
    }
  });

  it("names the page where a person must do it", async () => {
    for (const args of [
      ["members", "remove", "Ada", "--yes"],
      ["members", "set", "Ada", "--grant", "viewer"],
    ]) {
      const refused = await run(...args);
      expect(refused.code).toBe(3);
      expect(refused.stderr).toContain(`Do it in the dashboard: ${gantry.url}/app/members`);
    }
    const shown = await runAs(await personalToken(owner, ["deployments:read"]), "whoami");
    expect(shown.stdout).toMatch(/^owner\tyes$/m);
  });
});
