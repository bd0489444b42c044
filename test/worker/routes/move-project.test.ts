import { describe, expect, it } from "vitest";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { createToken, ids } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { emptyReport } from "../../support/connected-agent/events.ts";
import { enrolAgent } from "../../support/worker/enrol-agent.ts";
import { TestProject } from "../../support/worker/project.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";
import { moved, removals, report } from "../../support/worker/moved-project.ts";

async function get(project: TestProject): Promise<Project> {
  return Project.parse(await (await project.get(`/v1/projects/${project.id}`)).json());
}

describe("a token that is limited to some projects", () => {
  it("cannot move a project to any other server, and such a request changes nothing", async () => {
    const { account, projectId, serverId } = await copyWorld();
    const other = await enrolAgent(account.token, "web-2");
    const { secret } = await createToken(account.id, { projectIds: [projectId] });
    const ask = async (token: string, body: unknown) =>
      await call(`/v1/projects/${projectId}`, { method: "PATCH", token, body });
    for (const server_id of [other.serverId, ids.server()]) {
      const refused = await ask(secret, { server_id, branch: "stable" });
      expect(refused.status).toBe(403);
      expect(await problemOf(refused)).toMatchObject({
        code: "insufficient_scope",
        detail:
          "The token is limited to some projects, so it cannot move a project to another server: change neither server_id nor servers nor build_on.",
      });
    }
    const same = await ask(secret, { server_id: serverId });
    expect(same.status).toBe(200);
    expect(await same.json()).toMatchObject({ server_id: serverId, branch: "main" });
    const blind = await createToken(account.id, { projectIds: [ids.project()] });
    expect((await ask(blind.secret, { server_id: other.serverId })).status).toBe(404);
    expect((await ask(account.token, { server_id: other.serverId })).status).toBe(200);
    // The primary decides at that moment whether the server is the same, not an earlier read.
    expect((await ask(secret, { server_id: serverId })).status).toBe(403);
  });
});

describe("a project that is moved to another server", () => {
  it("is served by the old server until its next deployment is live on the new one", async () => {
    const { project, to } = await moved();
    project.agent.status([report(project, 1, [1])]);
    await expect.poll(async () => (await get(project)).serving).toMatchObject({ drifted: false });
    const { id } = await project.start();
    const order = await to.orderOf(id);
    expect(order).toMatchObject({ version: 2, keep_releases: [] });
    expect(removals(project.agent)).toEqual([]);
    await to.completes(order);
    expect(await project.agent.confirmsRemoval(project.id)).toEqual({ purge: false });
    const live = await project.reaches(id, "live");
    expect(live.server_id).toBe(to.serverId);
    await expect
      .poll(async () => (await get(project)).serving)
      .toMatchObject({ deployment_id: id, drifted: false });
    expect(removals(to)).toEqual([]);
  });

  it("shows what the new server serves, and ignores reports of the old one", async () => {
    const { project, to } = await moved();
    const { id } = await project.deploy({}, to);
    project.agent.status([report(project, 1, [1])]);
    to.status([report(project, 2, [2])]);
    await expect
      .poll(async () => (await get(project)).serving)
      .toMatchObject({ deployment_id: id, drifted: false });
  });

  it("stays on the old server if its first deployment on the new one fails", async () => {
    const { project, to } = await moved();
    const { id } = await project.start();
    const order = await to.orderOf(id);
    const failure = { code: "build_failed", message: "exit code 1", stage: "build" } as const;
    const result = { outcome: "failed", failure } as const;
    await to.reports(order, { type: "result", result, project: emptyReport(order) });
    await project.reaches(id, "failed");
    expect(removals(project.agent)).toEqual([]);
    await project.patch({ server_id: project.agent.serverId });
    const back = await project.start();
    expect(await project.agent.orderOf(back.id)).toMatchObject({ keep_releases: [1] });
  });
});
