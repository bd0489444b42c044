import { beforeAll, describe, expect, it } from "vitest";

import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { createApi } from "../support/journey-api.ts";
import { acceptInvitation, becomeOwner, fullToken, type Person } from "../support/people.ts";
import { createCli, jsonOf } from "./support/command.ts";

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
  it("invites a person with several roles, and prints only the link", async () => {
    const invited = await run(
      ...["members", "invite", "--email", "Grace@Example.com", "--grant", "viewer"],
      ...["--grant", "deployer+deployments:approve:shop,blog", "--days", "2"],
    );
    expect(invited).toMatchObject({ code: 0, stderr: expect.stringContaining("shown only once") });
    expect(invited.stdout).toMatch(/^http:\S+\/app\/join#code=gantry_invite_\w{36}\n$/);
    const listed = await run("members");
    expect(listed.stdout).toMatch(
      /^invited\tgrace@example\.com\tviewer deployer\+deployments:approve:shop,blog\texpires \d{4}-\S+\tinv_\w+$/m,
    );
    const person = await acceptInvitation(invited.stdout.trim(), "Grace Hopper");
    const after = (await run("members", "list")).stdout;
    expect(after).not.toContain("invited");
    expect(after).toMatch(
      new RegExp(
        `^Grace Hopper\\tgrace@example\\.com\\tviewer deployer\\+deployments:approve:shop,blog\\t\\S+\\t${person.id}$`,
        "m",
      ),
    );
    const shown = await runAs(await personalToken(person, ["deployments:read"]), "whoami");
    expect(shown.stdout).toMatch(new RegExp(`^person\\tGrace Hopper \\(${person.id}\\)$`, "m"));
    expect(shown.stdout).toMatch(/^allows\tdeployments:read in all projects$/m);
    expect(shown.stdout).toMatch(/^allows\tdeployments:read in proj_\w+, proj_\w+$/m);
    expect(shown.stdout).not.toContain("scopes");
  });
});

describe("gantry connections", () => {
  it("lists the providers by which people sign in, without secrets", async () => {
    expect((await run("connections")).stdout).toBe("");
    const made = await owner.api.call("POST", "/v1/connections", {
      ...{ kind: "github", name: "GitHub", client_id: "Iv1.8a61f9b3a7aba766" },
      client_secret: "not-a-real-secret",
    });
    expect(made.status).toBe(201);
    const listed = await run("connections", "list");
    expect(listed.stdout).toMatch(/^GitHub\thttps:\/\/github\.com\toff\tno\tnever\tconn_\w+$/m);
    expect((await run("connections", "--json")).stdout).not.toContain("not-a-real-secret");
  });
});
