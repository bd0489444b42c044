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
import { createWorld } from "../../support/worker/world.ts";

const told = (agent: ConnectedAgent) => agent.heard.filter(({ type }) => type === "remove_project");

async function get(project: TestProject): Promise<Project> {
  return Project.parse(await (await project.get(`/v1/projects/${project.id}`)).json());
}

function report({ id }: TestProject, release: number | null, releases: number[]): ProjectReport {
  return { project_id: id, release, releases, url: "http://127.0.0.1:9000" };
}

/** A project with a live deployment, moved to a second server that it has not been deployed to yet. */
async function moved(): Promise<{ project: TestProject; to: ConnectedAgent }> {
  const project = await TestProject.connected();
  await project.deploy();
  const to = await enrolAgent(project.token, "web-2");
  await to.connect();
  await to.hears("welcome");
  const response = await project.patch({ server_id: to.serverId });
  expect(await response.json()).toMatchObject({ server_id: to.serverId });
  return { project, to };
}

describe("a token that is limited to some projects", () => {
  it("moves none to another server, be there one or not, and changes nothing of the rest then", async () => {
    const { account, projectId, serverId } = await createWorld();
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
    // Whether it is the same is for the primary to say at that moment, not for what the holder has read before.
    expect((await ask(secret, { server_id: serverId })).status).toBe(403);
  });
});

describe("a project that is moved to another server", () => {
  it("is served by the old one until its next deployment is live on the new one, and no longer", async () => {
    const { project, to } = await moved();
    project.agent.status([report(project, 1, [1])]);
    await expect.poll(async () => (await get(project)).serving).toMatchObject({ drifted: false });
    const { id } = await project.start();
    const order = await to.orderOf(id);
    expect(order).toMatchObject({ version: 2, keep_releases: [] });
    expect(told(project.agent)).toEqual([]);
    await to.carriesOut(order);
    expect(await project.agent.forgets(project.id)).toEqual({ purge: false });
    const live = await project.reaches(id, "live");
    expect(live.server_id).toBe(to.serverId);
    await expect
      .poll(async () => (await get(project)).serving)
      .toMatchObject({ deployment_id: id, drifted: false });
    expect(told(to)).toEqual([]);
  });

  it("shows what the new one serves, and does not listen to the old one any more", async () => {
    const { project, to } = await moved();
    const { id } = await project.deploy({}, to);
    project.agent.status([report(project, 1, [1])]);
    to.status([report(project, 2, [2])]);
    await expect
      .poll(async () => (await get(project)).serving)
      .toMatchObject({ deployment_id: id, drifted: false });
  });

  it("tells the old one when it says hello, if it was away, and again until it has confirmed", async () => {
    const { project, to } = await moved();
    project.agent.cut();
    await project.deploy({}, to);
    await project.agent.connect({ projects: [report(project, 1, [1])] });
    await project.agent.hears("remove_project");
    project.agent.cut();
    project.agent.heard.length = 0;
    await project.agent.connect({ projects: [report(project, null, [1])] });
    await project.agent.forgets(project.id);
    await expect.poll(async () => kept(project)).toEqual([false, true]);
    project.agent.cut();
    project.agent.heard.length = 0;
    await project.agent.connect({ projects: [report(project, null, [])] });
    await project.agent.hears("welcome");
    await project.deploy({}, to);
    expect(told(project.agent)).toEqual([]);
  });

  it("is taken from a server that still serves it although it was thought to have let go, as after a restore of its disk", async () => {
    const { project, to } = await moved();
    await project.deploy({}, to);
    await project.agent.forgets(project.id);
    project.agent.cut();
    project.agent.heard.length = 0;
    await project.agent.connect({ projects: [report(project, 1, [1])] });
    await project.agent.forgets(project.id);
  });

  it("stays where it is when its first deployment on the new one fails", async () => {
    const { project, to } = await moved();
    const { id } = await project.start();
    const order = await to.orderOf(id);
    const failure = { code: "build_failed", message: "exit code 1", stage: "build" } as const;
    const result = { outcome: "failed", failure } as const;
    await to.reports(order, { type: "result", result, project: emptyReport(order) });
    await project.reaches(id, "failed");
    expect(told(project.agent)).toEqual([]);
    await project.patch({ server_id: project.agent.serverId });
    const back = await project.start();
    expect(await project.agent.orderOf(back.id)).toMatchObject({ keep_releases: [1] });
  });

  it("is rolled back by building the commit again, for its releases are on the old one", async () => {
    const { project, to } = await moved();
    await project.deploy({}, to);
    const targets = await (await project.get(`/v1/projects/${project.id}/rollback-targets`)).json();
    expect(targets).toMatchObject({ rollback_targets: [{ version: 1, instant: false, default: true }] });
    const { id } = await project.rollBack();
    const order = await to.orderOf(id);
    expect(order).toMatchObject({ version: 3, reuse_release: null, preapproved: false, keep_releases: [2] });
    expect(order.source.commit).toMatch(/^[0-9a-f]{40}$/);
    await to.carriesOut(order);
    await project.reaches(id, "live");
    // From here on the code of version 1 is on the new server too, as release 3.
    const forward = await project.rollBack({ version: 2 });
    await to.carriesOut(await to.orderOf(forward.id));
    await project.reaches(forward.id, "live");
    const again = await project.rollBack({ version: 1 });
    expect(await to.orderOf(again.id)).toMatchObject({ reuse_release: 3, preapproved: true });
  });

  it("can go back to the old one while that has not let go yet, and is not told to let go of the new release", async () => {
    const { project, to } = await moved();
    project.agent.cut();
    await project.deploy({}, to);
    await project.patch({ server_id: project.agent.serverId });
    const { id } = await project.start();
    await project.agent.connect({ projects: [report(project, 1, [1])] });
    const order = await project.agent.orderOf(id);
    expect(told(project.agent)).toEqual([]);
    await project.agent.carriesOut(order, [1]);
    await project.reaches(id, "live");
    expect(told(project.agent)).toEqual([]);
    expect(await to.forgets(project.id)).toEqual({ purge: false });
  });

  it("has its waiting deployments carried out where they were started for", async () => {
    const project = await TestProject.connected();
    const running = await project.start();
    const waiting = await project.start();
    const to = await enrolAgent(project.token, "web-2");
    await to.connect();
    await project.patch({ server_id: to.serverId });
    const last = await project.start();
    await project.agent.carriesOut(await project.agent.orderOf(running.id));
    await project.agent.carriesOut(await project.agent.orderOf(waiting.id));
    await to.carriesOut(await to.orderOf(last.id));
    await project.agent.forgets(project.id);
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

/** Whether the releases of its deployments are kept, oldest first. */
async function kept(project: TestProject): Promise<boolean[]> {
  const list = await (await project.get(`/v1/deployments?project_id=${project.id}`)).json();
  const { deployments } = Deployments.parse(list);
  return deployments.map((one) => one.release_kept).toReversed();
}
