import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { processesOf } from "../support/journey-processes.ts";
import { createRepository, type Repository } from "../support/journey-repository.ts";
import { visit } from "../support/journey-visitor.ts";
import { type UsedSystem, useSystem } from "../support/use-system.ts";

/** Seconds of sleep that no other program on this machine uses, so that leftover processes can be found. */
const SLEEP = `864${process.pid}`;
const GOOD_BUILD = "mkdir -p public && cp index.html health.txt public/";

let system: UsedSystem;
let repository: Repository;
let project: Project;

beforeAll(async () => {
  system = await useSystem();
  repository = await createRepository(join(system.folder, "shop"));
  await repository.commit({ "index.html": "good", "health.txt": "fine", "build.sh": GOOD_BUILD });
  project = await system.api.createProject({
    name: "shop",
    server_id: system.local.server_id,
    repository: repository.path,
    build_command: "sh build.sh",
    output_directory: "public",
    health_check: { path: "/health.txt", tries: 2, interval_seconds: 0.1 },
    timeouts: { build_seconds: 2 },
  });
  const first = await system.api.start(project.id);
  expect((await system.api.ended(first.id)).status).toBe("live");
  project = await system.api.getProject(project.id);
});

/** Expects that a deployment fails while a visitor requests the site without a failed request. */
async function failWhileVisited(
  body: Record<string, unknown> = {},
): Promise<{ ended: Deployment; log: string }> {
  const { api } = system;
  const visitor = visit(project.url ?? "");
  const { id } = await api.start(project.id, body);
  const ended = await api.ended(id);
  // A deployment may fail before the visitor has sent many requests.
  await expect.poll(() => visitor.requests()).toBeGreaterThan(5);
  expect(await visitor.leave()).toEqual([]);
  expect(ended.status).toBe("failed");

  // The earlier deployment is still live and served.
  const live = (await api.listDeployments(project.id)).find(({ status }) => status === "live");
  const site = await fetch(project.url ?? "");
  expect([site.headers.get("gantry-release"), await site.text()]).toEqual([`${live?.version}`, "good"]);
  const log = (await api.log(id)).map((line) => line.message).join("\n");
  return { ended, log };
}

describe("a deployment fails with the reason, and leaves the site unchanged,", () => {
  it("when its build command fails", async () => {
    await repository.commit({ "build.sh": "echo compiling\necho 'no such module: tills' >&2\nexit 3" });
    const { ended, log } = await failWhileVisited();
    expect(ended.failure).toMatchObject({ code: "build_failed", stage: "build" });
    expect(ended.failure?.evidence?.exit_code).toBe(3);
    expect(ended.failure?.evidence?.stderr_tail).toContain("no such module: tills");
    expect(log).toContain("compiling");
    expect(log).toContain("no such module: tills");
  });

  it("when its branch does not exist", async () => {
    const { ended, log } = await failWhileVisited({ branch: "no-such-branch" });
    expect(ended.failure).toMatchObject({ code: "ref_not_found", stage: "fetch" });
    expect(ended.failure?.message).toContain("no-such-branch");
    expect(log).toContain("no-such-branch");
  });

  it("when its health check does not pass", async () => {
    await repository.commit({
      "build.sh": "mkdir -p public && cp index.html public/",
      "index.html": "good, but not healthy",
    });
    const { ended, log } = await failWhileVisited();
    expect(ended.failure).toMatchObject({ code: "health_check_failed", stage: "verify" });
    expect(ended.failure?.evidence?.health_status).toBe(404);
    expect(log).toContain("404");
  });

  it("when a command hangs", async () => {
    await repository.commit({ "index.html": "good", "build.sh": `sleep ${SLEEP} & sleep ${SLEEP}` });
    const { ended, log } = await failWhileVisited();
    expect(ended.failure).toMatchObject({ code: "timed_out", stage: "build" });
    expect(log).toMatch(/time|2 s/i);
    expect(await processesOf(`sleep ${SLEEP}`)).toEqual([]);
  });

  it("and the next good deployment goes live", async () => {
    await repository.commit({ "index.html": "better", "build.sh": GOOD_BUILD });
    const { id } = await system.api.start(project.id);
    expect((await system.api.ended(id)).status).toBe("live");
    expect(await (await fetch(project.url ?? "")).text()).toBe("better");
  });
});
