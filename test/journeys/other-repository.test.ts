import { stat } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createRepository, type Repository } from "../support/journey-repository.ts";
import {
  createHome,
  freePorts,
  IS_UP,
  removeHome,
  runNpmStart,
  startSystem,
} from "../support/journey-system.ts";

let home: string;
let repository: Repository;

beforeAll(async () => {
  home = await createHome();
  // A name that has to be quoted everywhere, and a default branch that is not main.
  repository = await createRepository(join(home, "my shop"));
  await repository.commit({ "index.html": "a shop" });
  await repository.git("branch", "--move", "trunk");
});
afterAll(() => removeHome(home), 60_000);

describe("npm start with --repo", () => {
  it("deploys its default branch, and a start without flags goes on with it", async () => {
    const port = await freePorts();
    const first = await startSystem(home, { port, flags: ["--repo", repository.path] });
    expect(await (await fetch(first.local.site_url)).text()).toBe("a shop");
    const project = await first.api.getProject(first.local.project_id);
    expect(project).toMatchObject({ name: "my-shop", branch: "trunk" });
    await first.interrupt();

    const second = await startSystem(home, { port });
    expect(second.local).toMatchObject({
      project_id: first.local.project_id,
      deployment_id: first.local.deployment_id,
      site_url: first.local.site_url,
      token: first.local.token,
    });
    expect(second.output()).not.toContain("deployment of trunk");
    await second.interrupt();
  });

  it("makes another project for another branch, on another port with a new address for the agent", async () => {
    await repository.git("checkout", "--quiet", "-b", "sale");
    await repository.commit({ "index.html": "a sale" });
    const system = await startSystem(home, { flags: ["--repo", repository.path, "--branch", "sale"] });
    expect(await (await fetch(system.local.site_url)).text()).toBe("a sale");
    const project = await system.api.getProject(system.local.project_id);
    expect(project).toMatchObject({ name: "my-shop-2", branch: "sale" });
    // The first project is served beside it.
    const listed = await system.api.call("GET", "/v1/projects");
    expect(listed.text).toContain("my-shop.localhost");

    // A build has the machine's own programs, as on a server, and none of this repository's packages.
    const { api, local } = system;
    const build_command = "command -v drizzle-kit || echo it is not there";
    await api.call("PATCH", `/v1/projects/${local.project_id}`, { build_command });
    const { id } = await api.start(local.project_id);
    expect(await api.ended(id)).toMatchObject({ status: "live" });
    const output = (await api.log(id)).filter(({ stream }) => stream === "stdout");
    expect(output.map(({ message }) => message)).toEqual(["it is not there"]);
    await system.interrupt();
  });

  it("stays up when the first deployment fails, and says why", async () => {
    const system = runNpmStart(home, await freePorts(), ["--branch", "no-such-branch"]);
    await system.printed(IS_UP);
    expect(system.output()).toContain("(ref_not_found)");
    expect(system.output()).toContain("did not go live");
    // local.json says that a deployment is live.
    await expect(stat(join(home, "local.json"))).rejects.toThrow("ENOENT");
    // It is up: once mended, it can be deployed.
    expect((await fetch(`http://127.0.0.1:${system.port}/healthz`)).status).toBe(200);
    expect(await system.interrupt()).toBe(0);
  });
});

describe("an npm start that is killed", () => {
  it("takes everything that it started with it, and the next start goes on", async () => {
    const port = await freePorts();
    const flags = ["--repo", repository.path];
    const first = await startSystem(home, { port, flags });
    await first.kill();
    await expect.poll(() => first.processes(), { timeout: 20_000 }).toEqual([]);
    const second = await startSystem(home, { port, flags });
    expect(second.local.project_id).toBe(first.local.project_id);
    expect((await fetch(second.local.site_url)).status).toBe(200);
    await second.interrupt();
    expect(await second.processes()).toEqual([]);
  });

  it("does not keep the next start waiting for a port that it still holds", async () => {
    const port = await freePorts();
    const flags = ["--repo", repository.path];
    const first = await startSystem(home, { port, flags });
    await first.kill();
    const second = await startSystem(home, { port, flags });
    expect((await fetch(second.local.site_url)).status).toBe(200);
    await second.interrupt();
  });
});
