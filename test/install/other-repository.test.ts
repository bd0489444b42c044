import { stat } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createRepository, type Repository } from "../support/journey-repository.ts";
import { freePort } from "../support/free-port.ts";
import {
  createHome,
  IS_UP,
  removeHome,
  runNpmStart,
  startSystem,
  type System,
} from "../support/journey-system.ts";

let home: string;
let repository: Repository;

beforeAll(async () => {
  home = await createHome();
  // The name must be quoted everywhere, and the default branch is not main.
  repository = await createRepository(join(home, "my shop"));
  await repository.commit({ "index.html": "a shop" });
  await repository.git("branch", "--move", "trunk");
});
afterAll(() => removeHome(home));

/** Each start continues with the state of the previous start. */
describe("npm start with --repo", () => {
  let system: System;

  it("deploys its default branch", async () => {
    system = await startSystem(home, { flags: ["--repo", repository.path] });
    expect(await (await fetch(system.local.site_url)).text()).toBe("a shop");
    const project = await system.api.getProject(system.local.project_id);
    expect(project).toMatchObject({ name: "my-shop", branch: "trunk" });
  });

  it("ends all programs that it started when it is killed", async () => {
    await system.kill();
    await expect.poll(() => system.processes()).toEqual([]);
  });

  it("is continued by a start without options, on another port and with a new address for the agent", async () => {
    const { project_id, deployment_id, token } = system.local;
    system = await startSystem(home);
    expect(system.local).toMatchObject({ project_id, deployment_id, token });
    expect(system.output()).not.toContain("deployment of trunk");
    expect(await (await fetch(system.local.site_url)).text()).toBe("a shop");
  });

  it("creates another project for another branch, although a killed start still holds the port", async () => {
    await repository.git("checkout", "--quiet", "-b", "sale");
    await repository.commit({ "index.html": "a sale" });
    await system.kill();
    const { port } = system;
    system = await startSystem(home, { port, flags: ["--repo", repository.path, "--branch", "sale"] });
    expect(await (await fetch(system.local.site_url)).text()).toBe("a sale");
    const project = await system.api.getProject(system.local.project_id);
    expect(project).toMatchObject({ name: "my-shop-2", branch: "sale" });
    // The first project is still served.
    const listed = await system.api.call("GET", "/v1/projects");
    expect(listed.text).toContain("my-shop.localhost");
  });

  it("runs builds with the machine's programs, and without the programs of this repository's packages", async () => {
    const { api, local } = system;
    const build_command = "command -v drizzle-kit || echo it is not there";
    await api.call("PATCH", `/v1/projects/${local.project_id}`, { build_command });
    const { id } = await api.start(local.project_id);
    expect(await api.ended(id)).toMatchObject({ status: "live" });
    const output = (await api.log(id)).filter(({ stream }) => stream === "stdout");
    expect(output.map(({ message }) => message)).toEqual(["it is not there"]);
    await system.interrupt();
    expect(await system.processes()).toEqual([]);
  });

  it("keeps running when the first deployment fails, and prints the reason", async () => {
    const run = runNpmStart(home, await freePort(), ["--branch", "no-such-branch"]);
    await run.printed(IS_UP);
    expect(run.output()).toContain("(ref_not_found)");
    expect(run.output()).toContain("did not go live");
    // local.json exists only while a deployment is live.
    await expect(stat(join(home, "local.json"))).rejects.toThrow("ENOENT");
    // The Worker responds, so the user can fix the cause and deploy again.
    expect((await fetch(`http://127.0.0.1:${run.port}/healthz`)).status).toBe(200);
    expect(await run.interrupt()).toBe(0);
  });
});
