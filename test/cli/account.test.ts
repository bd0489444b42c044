import { statSync } from "node:fs";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import { Project } from "#contract/endpoints/projects/schemas.ts";
import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { createCli, jsonOf } from "./support/command.ts";

const cli = createCli();
let gantry: Gantry;
let env: NodeJS.ProcessEnv;
let folders = 0;

beforeAll(async () => {
  gantry = await useGantry();
  env = { GANTRY_URL: gantry.url, GANTRY_TOKEN: gantry.token };
});

const run = (...args: string[]) => cli.run(args, { env });
/** An empty configuration directory. */
const emptyConfig = () => {
  folders += 1;
  return { XDG_CONFIG_HOME: join(cli.home, `config-${folders}`) };
};
const fileOf = (config: { XDG_CONFIG_HOME: string }) => join(config.XDG_CONFIG_HOME, "gantry", "config.json");

describe("gantry login", () => {
  it("reads the token from a pipe, checks it and stores it with mode 0600", async () => {
    const config = emptyConfig();
    const login = await cli.run(["login", `${gantry.url}/`], { env: config, input: `${gantry.token}\n` });
    expect(login).toMatchObject({ code: 0, stderr: "" });
    expect(login.stdout).toContain(
      `Signed in to ${gantry.url} as ${gantry.accountName} with the token "test"`,
    );
    expect(statSync(fileOf(config)).mode & 0o777).toBe(0o600);
    const whoami = await cli.run(["whoami", "--json"], { env: config });
    expect(jsonOf(whoami.stdout)).toMatchObject({
      url: gantry.url,
      name: gantry.accountName,
    });
  });
});

describe("gantry projects", () => {
  it("creates, lists, shows, changes and deletes a project", async () => {
    const server = await run("servers", "add", "web-p", "192.0.2.11", "--json");
    const { id } = ServerCreated.parse(jsonOf(server.stdout));
    expect((await run("projects", "create", "shop")).code).toBe(2);
    const source = ["--repository", "https://example.com/shop.git", "--server", "web-p"];
    const created = await run(
      ...["projects", "create", "shop", ...source],
      ...["--shared-path", "storage", "--shared-path", "data", "--json"],
    );
    expect(Project.parse(jsonOf(created.stdout))).toMatchObject({
      name: "shop",
      server_id: id,
      shared_paths: ["storage", "data"],
    });
    expect((await run("projects")).stdout).toMatch(/^shop\t–\t/m);
    const changed = await run(
      "projects",
      "set",
      "shop",
      "--install-command",
      "npm ci",
      "--build-command=-x --y",
      "--release-command",
      "make migrate",
      "--branch",
      "next",
    );
    expect(changed.stdout).toMatch(/^release command\tmake migrate$/m);
    expect(changed.stdout).toMatch(/^install command\tnpm ci$/m);
    expect(changed.stdout).toMatch(/^build command\t-x --y$/m);
    expect(changed.stdout).toMatch(/^changed\t.*install_command.*$/m);
    expect(changed.stdout).not.toMatch(/^(?:id|commits by hash|queue)\t/m);
    expect((await run("projects", "show", "shop")).stdout).toMatch(/^commits by hash\treachable$/m);
    expect((await run("projects", "set", "shop")).code).toBe(2);
    expect((await run("projects", "show", "-p", "shop")).stdout).toMatch(/^branch\tnext$/m);
    expect((await run("projects", "show", "shpo")).stderr).toContain("mean shop?");
    expect((await run("open", "shop")).stdout).toMatch(/\/app\/projects\/proj_\w+\n$/);
    expect((await run("projects", "delete", "shop")).code).toBe(2);
    expect((await run("projects", "delete", "shop", "--purge", "--yes")).code).toBe(0);
    expect((await run("projects", "show", "shop")).code).toBe(4);
    expect((await run("open")).stdout).toBe(`${gantry.url}/app/\n`);
  });
});
