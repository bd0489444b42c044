import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import { type Deployment, RollbackTargets } from "#contract/endpoints/deployments/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { createRepository, type Repository } from "../support/journey-repository.ts";
import { type UsedSystem, useSystem } from "../support/use-system.ts";

let system: UsedSystem;
let repository: Repository;
let project: Project;

beforeAll(async () => {
  system = await useSystem();
  repository = await createRepository(join(system.folder, "news"));
});

async function createProject(name: string, settings: Record<string, unknown> = {}): Promise<Project> {
  return system.api.createProject({
    name,
    server_id: system.local.server_id,
    repository: repository.path,
    ...settings,
  });
}

/** Commits a text and deploys it. */
async function publish(text: string): Promise<Deployment> {
  await repository.commit({ "index.html": text });
  return goLive(system.api.start(project.id));
}

async function goLive(starting: Promise<{ id: string }>): Promise<Deployment> {
  const ended = await system.api.ended((await starting).id);
  expect(ended).toMatchObject({ status: "live", failure: null });
  return ended;
}

async function content(): Promise<string> {
  const { url } = await system.api.getProject(project.id);
  return (await fetch(url ?? "")).text();
}

const stagesOf = async (id: string) => new Set((await system.api.log(id)).map((line) => line.stage));
const deletionOf = (id: string) => system.api.call("DELETE", `/v1/projects/${project.id}/deployments/${id}`);

describe("rolling back", () => {
  it("serves the previous content, then the content before that, and newer content only by its version", async () => {
    project = await createProject("news");
    const one = await publish("one");
    const two = await publish("two");
    await publish("three");

    const back = await goLive(system.api.rollBack(project.id));
    expect(back).toMatchObject({ version: 4, kind: "rollback", rollback_of: two.id, commit: two.commit });
    expect(await content()).toBe("two");
    // The release was still on the server, so nothing was fetched or built.
    const stages = await stagesOf(back.id);
    expect([stages.has("fetch"), stages.has("build")]).toEqual([false, false]);

    const further = await goLive(system.api.rollBack(project.id));
    expect(further).toMatchObject({ version: 5, rollback_of: one.id });
    expect(await content()).toBe("one");

    const none = await system.api.call("POST", "/v1/rollback", { project_id: project.id });
    expect([none.status, none.json]).toMatchObject([409, { code: "no_rollback_target" }]);

    await goLive(system.api.rollBack(project.id, { version: 3 }));
    expect(await content()).toBe("three");
    const same = await system.api.call("POST", "/v1/rollback", { project_id: project.id, version: 3 });
    expect([same.status, same.json]).toMatchObject([409, { code: "already_live" }]);
  });

  it("rebuilds a version whose release has been pruned", async () => {
    project = await createProject("archive", { keep_releases: 2 });
    const first = await publish("first");
    for (const text of ["second", "third", "fourth"]) await publish(text);
    const listed = await system.api.call("GET", `/v1/projects/${project.id}/rollback-targets`);
    const targets = RollbackTargets.parse(listed.json).rollback_targets;
    expect(targets.find((target) => target.version === 1)?.instant).toBe(false);
    expect(targets.find((target) => target.default)).toMatchObject({ version: 3, instant: true });

    const rebuilt = await goLive(system.api.rollBack(project.id, { deployment_id: first.id }));
    expect(rebuilt).toMatchObject({ kind: "rollback", rollback_of: first.id, commit: first.commit });
    expect((await stagesOf(rebuilt.id)).has("fetch")).toBe(true);
    expect(await content()).toBe("first");
  });
});

describe("deleting a deployment", () => {
  it("is refused while the deployment is live", async () => {
    project = await createProject("journal");
    const live = await publish("live");
    const response = await deletionOf(live.id);
    expect([response.status, response.headers.get("content-type"), response.json]).toMatchObject([
      409,
      "application/problem+json",
      { code: "deployment_live" },
    ]);
    expect(await content()).toBe("live");
  });

  it("removes the deployment and its log, and its version number is not used again", async () => {
    const failed = await system.api.ended((await system.api.start(project.id, { branch: "nowhere" })).id);
    const response = await deletionOf(failed.id);
    expect([response.status, response.text]).toEqual([204, ""]);

    for (const path of [`/v1/deployments/${failed.id}`, `/v1/logs/${failed.id}`])
      expect([path, (await system.api.call("GET", path)).status]).toEqual([path, 404]);
    expect((await deletionOf(failed.id)).status).toBe(404);
    const left = await system.api.listDeployments(project.id);
    expect(left.map((deployment) => deployment.id)).not.toContain(failed.id);
    // The deleted deployment had the highest version.
    expect((await publish("next")).version).toBe(failed.version + 1);
  });

  it("removes a superseded deployment, and the site stays up", async () => {
    const superseded = (await system.api.listDeployments(project.id)).find((d) => d.status === "superseded");
    expect((await deletionOf(superseded?.id ?? "")).status).toBe(204);
    expect(await content()).toBe("next");
  });
});

describe("an approval", () => {
  it("is for the commit that the approver has seen, whatever is pushed before and after it", async () => {
    // No commit by its hash: the tip that was approved is deployed all the same.
    project = await createProject("reviewed", { approval: "required", commits: "none" });
    const startHeld = async () => {
      const { id } = await system.api.start(project.id);
      return system.api.waitUntil(id, ({ waiting_on: waiting }) => waiting?.type === "approval");
    };
    const approve = (id: string, commit: string) =>
      system.api.call("POST", `/v1/deployments/${id}/approve`, { commit });
    const seen = await repository.commit({ "index.html": "reviewed" });
    const held = await startHeld();
    expect([held.commit_sha, held.commit_message]).toEqual([seen, "Change index.html"]);
    const pushed = await repository.commit({ "index.html": "not reviewed" });
    expect(await approve(held.id, pushed)).toMatchObject({ status: 409, json: { code: "commit_changed" } });
    expect((await approve(held.id, seen)).status).toBe(200);
    expect(await system.api.ended(held.id)).toMatchObject({ status: "live", commit_sha: seen });
    expect(await content()).toBe("reviewed");

    const next = await startHeld();
    expect(next.commit_sha).toBe(pushed);
    await repository.git("commit", "--quiet", "--amend", "--message=rewritten");
    expect((await approve(next.id, pushed)).status).toBe(200);
    expect(await system.api.ended(next.id)).toMatchObject({
      status: "failed",
      failure: { code: "ref_not_found", message: expect.stringContaining(pushed) },
    });
    expect(await content()).toBe("reviewed");
  });
});
