import { describe, expect, it } from "vitest";

import type { ProjectReport } from "#contract/agent-protocol.ts";
import { Deployments } from "#contract/endpoints/deployments/schemas.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { createToken, ids } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import type { ConnectedAgent } from "../../support/connected-agent/connected-agent.ts";
import { emptyReport } from "../../support/connected-agent/events.ts";
import { enrolAgent } from "../../support/worker/enrol-agent.ts";
import { TestProject } from "../../support/worker/project.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

const removals = (agent: ConnectedAgent) => agent.received.filter(({ type }) => type === "remove_project");

async function get(project: TestProject): Promise<Project> {
  return Project.parse(await (await project.get(`/v1/projects/${project.id}`)).json());
}

function report({ id }: TestProject, release: number | null, releases: number[]): ProjectReport {
  return { project_id: id, release, releases, url: "http://127.0.0.1:9000" };
}

/** A project with a live deployment that was moved to a second server, without a deployment there yet. */
async function moved(): Promise<{ project: TestProject; to: ConnectedAgent }> {
  const project = await TestProject.connected();
  await project.deploy();
  const to = await enrolAgent(project.token, "web-2");
  await to.connect();
  await to.receives("welcome");
  const response = await project.patch({ server_id: to.serverId });
  expect(await response.json()).toMatchObject({ server_id: to.serverId });
  return { project, to };
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
          "The token is limited to some projects, so it cannot move a project to another server: do not change server_id.",
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

  it("sends the removal to the old server at each hello until it has confirmed", async () => {
    const { project, to } = await moved();
    project.agent.cut();
    await project.deploy({}, to);
    await project.agent.connect({ projects: [report(project, 1, [1])] });
    await project.agent.receives("remove_project");
    project.agent.cut();
    project.agent.received.length = 0;
    await project.agent.connect({ projects: [report(project, null, [1])] });
    await project.agent.confirmsRemoval(project.id);
    await expect.poll(async () => kept(project)).toEqual([false, true]);
    project.agent.cut();
    project.agent.received.length = 0;
    await project.agent.connect({ projects: [report(project, null, [])] });
    await project.agent.receives("welcome");
    await project.deploy({}, to);
    expect(removals(project.agent)).toEqual([]);
  });

  it("is removed from a server that serves it again, for example after a restore of its disk", async () => {
    const { project, to } = await moved();
    await project.deploy({}, to);
    await project.agent.confirmsRemoval(project.id);
    project.agent.cut();
    project.agent.received.length = 0;
    await project.agent.connect({ projects: [report(project, 1, [1])] });
    await project.agent.confirmsRemoval(project.id);
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

  it("is rolled back by building the commit again, because its releases are on the old server", async () => {
    const { project, to } = await moved();
    await project.deploy({}, to);
    const targets = await (await project.get(`/v1/projects/${project.id}/rollback-targets`)).json();
    expect(targets).toMatchObject({ rollback_targets: [{ version: 1, instant: false, default: true }] });
    const { id } = await project.rollBack();
    const order = await to.orderOf(id);
    expect(order).toMatchObject({ version: 3, reuse_release: null, preapproved: false, keep_releases: [2] });
    expect(order.source.commit).toMatch(/^[0-9a-f]{40}$/);
    await to.completes(order);
    await project.reaches(id, "live");
    // From now on the code of version 1 is on the new server too, as release 3.
    const forward = await project.rollBack({ version: 2 });
    await to.completes(await to.orderOf(forward.id));
    await project.reaches(forward.id, "live");
    const again = await project.rollBack({ version: 1 });
    expect(await to.orderOf(again.id)).toMatchObject({ reuse_release: 3, preapproved: true });
  });

  it("can be moved back before the old server has removed it, and keeps the new release there", async () => {
    const { project, to } = await moved();
    project.agent.cut();
    await project.deploy({}, to);
    await project.patch({ server_id: project.agent.serverId });
    const { id } = await project.start();
    await project.agent.connect({ projects: [report(project, 1, [1])] });
    const order = await project.agent.orderOf(id);
    expect(removals(project.agent)).toEqual([]);
    await project.agent.completes(order, [1]);
    await project.reaches(id, "live");
    expect(removals(project.agent)).toEqual([]);
    expect(await to.confirmsRemoval(project.id)).toEqual({ purge: false });
  });

  it("runs its queued deployments on the server for which they were started", async () => {
    const project = await TestProject.connected();
    const running = await project.start();
    const waiting = await project.start();
    const to = await enrolAgent(project.token, "web-2");
    await to.connect();
    await project.patch({ server_id: to.serverId });
    const last = await project.start();
    await project.agent.completes(await project.agent.orderOf(running.id));
    await project.agent.completes(await project.agent.orderOf(waiting.id));
    await to.completes(await to.orderOf(last.id));
    await project.agent.confirmsRemoval(project.id);
    expect((await project.reaches(last.id, "live")).server_id).toBe(to.serverId);
  });

  it("keeps its old server in use until it is live on the new one", async () => {
    const { project, to } = await moved();
    const remove = () => project.call("DELETE", `/v1/servers/${project.agent.serverId}`);
    expect(await problemOf(await remove())).toMatchObject({ status: 409, code: "server_in_use" });
    await project.deploy({}, to);
    expect((await remove()).status).toBe(204);
  });
});

/** `release_kept` of its deployments, oldest first. */
async function kept(project: TestProject): Promise<boolean[]> {
  const list = await (await project.get(`/v1/deployments?project_id=${project.id}`)).json();
  const { deployments } = Deployments.parse(list);
  return deployments.map((one) => one.release_kept).toReversed();
}
