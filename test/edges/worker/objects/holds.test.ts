import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";

import { DeploymentStarted, RollbackTarget } from "#contract/endpoints/deployments/schemas.ts";
import { SHA } from "../../../support/model/model-agent.ts";
import { call, problemOf } from "../../../support/worker/call.ts";
import { laneOf, TestProject } from "../../../support/worker/project.ts";
import { recordedEntries, recordedEvents } from "../../../support/worker/recorded.ts";
import {
  OTHER_SHA,
  WithToken,
  approve,
  freeze,
  newToken,
  pass,
  refusalOf,
  startedBy,
} from "../../../support/worker/holds.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  return () => vi.useRealTimers();
});

describe("a freeze", () => {
  it("that the lane did not hear of is read within an hour, and counts for tokens that cannot see it", async () => {
    const project = await TestProject.connected();
    await freeze(project, 300);
    const body = { name: "own", scopes: ["deployments:write"], project_ids: [project.id] };
    const { token } = WithToken.parse(await (await project.post("/v1/tokens", body)).json());
    const path = `/v1/projects/${project.id}/deployments`;
    const started = await call(path, { method: "POST", token, body: {} });
    const { id } = z.object({ id: z.string() }).parse(await started.json());
    expect((await project.deployment(id)).waiting_on).toMatchObject({ type: "freeze" });
    await env.DB.prepare("DELETE FROM freezes").run();
    await pass(project, 50);
    expect((await project.deployment(id)).waiting_on).toMatchObject({ type: "freeze" });
    await pass(project, 11);
    await project.agent.orderOf(id);
  });

  it("of a restored database counts after the daily repair, although the lane knows a later one", async () => {
    const project = await TestProject.connected();
    const { id } = await freeze(project, 300);
    const started = await project.start();
    await env.DB.prepare("DELETE FROM freezes").run();
    await env.DB.prepare("DELETE FROM events").run();
    await project.start();
    expect((await project.deployment(started.id)).waiting_on).toMatchObject({ type: "freeze", id });
    await runInDurableObject(laneOf(project), async (lane) => await lane.repair());
    await project.agent.orderOf(started.id);
  });
});

describe("the commit of an approval", () => {
  it("is unknown while the server is offline, then shown, and the only commit that can be approved", async () => {
    const project = await TestProject.create({ approval: "required" });
    const { id } = await project.start();
    const { serverId } = project.agent;
    expect(await project.deployment(id)).toMatchObject({
      waiting_on: { type: "commit", id: serverId },
      deadline_at: null,
      commit: null,
    });
    expect(await refusalOf(approve(project, id))).toEqual([409, "commit_unknown"]);
    await project.agent.connect();
    expect(await project.awaitsApproval(id)).toMatchObject({
      commit: SHA.slice(0, 7),
      commit_sha: SHA,
      commit_message: "Change the title",
    });
    const held = (await recordedEvents(project.id)).find(({ type }) => type === "deployment.held");
    expect(held?.data).toMatchObject({ deployment: { commit_sha: SHA, hold: { type: "approval" } } });
    const other = await approve(project, id, { commit: OTHER_SHA });
    expect(await problemOf(other)).toMatchObject({
      status: 409,
      code: "commit_changed",
      detail: `v1 does not deploy ${OTHER_SHA}: its commit is ${SHA}.`,
    });
    expect(await refusalOf(approve(project, id, { commit: SHA.slice(0, 12) }))).toEqual([
      422,
      "invalid_request",
    ]);
    expect((await approve(project, id, { commit: SHA })).status).toBe(200);
    const order = await project.agent.orderOf(id);
    expect(order.source).toMatchObject({ commit: SHA, in_branch: true, was_tip: true });
    // Repeated, also after the end, when the lane may have dropped it.
    const repeated = async () => [
      (await approve(project, id, { commit: SHA })).status,
      await refusalOf(approve(project, id, { commit: OTHER_SHA })),
    ];
    expect(await repeated()).toEqual([200, [409, "commit_changed"]]);
    await project.agent.completes(order);
    await project.reaches(id, "live");
    expect(await repeated()).toEqual([200, [409, "commit_changed"]]);
  });

  it("is asked for again when the isolate has died or an answer was lost, and the first answer counts", async () => {
    const project = await TestProject.create({ approval: "required", queue: "all" });
    project.agent.tip = null;
    await project.agent.connect();
    const running = await project.start();
    const { id } = await project.start();
    const requests = () =>
      project.agent.received.flatMap((one) =>
        one.type === "resolve_commit" && one.deployment_id === id ? [one] : [],
      );
    await vi.waitFor(() => expect(requests()).toHaveLength(1));
    await evictDurableObject(laneOf(project));
    await pass(project, 0.5);
    await vi.waitFor(() => expect(requests()).toHaveLength(2));
    const [first, second] = requests();
    if (first === undefined || second === undefined) throw new Error("no requests");
    project.agent.resolves(second, SHA);
    project.agent.resolves(first, OTHER_SHA);
    await vi.waitFor(async () => expect(await project.deployment(id)).toMatchObject({ commit_sha: SHA }));
    // In advance: another one is ahead of it, whose commit nobody knows.
    expect((await approve(project, id, { commit: SHA })).status).toBe(200);
    await project.post(`/v1/deployments/${running.id}/cancel`);
    expect((await project.agent.orderOf(id)).source.commit).toBe(SHA);
  });

  it("is resolved with the repository's token as sealed for its server", async () => {
    const repository = "https://github.com/acme/shop.git";
    const { project } = await TestProject.withKeys({ repository, approval: "required" });
    await project.set({ name: "GANTRY_REPOSITORY_TOKEN", value: "the-token", secret: true });
    await project.awaitsApproval((await project.start()).id);
    const request = await project.agent.receives("resolve_commit");
    expect(request).toMatchObject({ source: { repository }, token: { revision: 1 } });
    expect(JSON.stringify(project.agent.received)).not.toContain("the-token");
  });

  it("that the server cannot find fails the deployment with the server's reason", async () => {
    const project = await TestProject.create({ approval: "required" });
    project.agent.tip = null;
    await project.agent.connect();
    const { id } = await project.start();
    const { request_id, project_id, deployment_id, source } = await project.agent.receives("resolve_commit");
    const failure = { code: "ref_not_found", message: "there is no branch `main`", stage: "fetch" } as const;
    project.agent.answer({
      ...{ type: "commit_resolved", request_id, project_id, deployment_id, repository: source.repository },
      result: { ok: false, failure },
    });
    await project.reaches(id, "failed");
    expect((await project.deployment(id)).failure).toEqual(failure);
  });
});

describe("a restart under a hold", () => {
  it("runs what is live at once, and leaves out what was saved since", async () => {
    const project = await TestProject.connected({ processes: { web: { command: "node server.js" } } });
    await project.deploy();
    await project.patch({ approval: "required", activate_command: "printenv" });
    await project.set({ name: "MODE", value: "later" });
    await freeze(project, 30);
    const held = await project.start();
    const web = `/v1/projects/${project.id}/processes/web`;
    const restarted = await startedBy(project.post(`${web}/restart`));
    const order = await project.agent.orderOf(restarted.id);
    expect(order).toMatchObject({ activate_command: null, restart: ["web"], variables: { plain: [] } });
    await project.agent.completes(order);
    await project.reaches(restarted.id, "live");
    const scaled = await startedBy(project.call("PATCH", web, { instances: 3 }));
    await evictDurableObject(laneOf(project));
    const scaledOrder = await project.agent.orderOf(scaled.id);
    expect(scaledOrder).toMatchObject({
      activate_command: null,
      processes: { web: { command: "node server.js", instances: 3 } },
    });
    await project.agent.completes(scaledOrder);
    await project.reaches(scaled.id, "live");
    const applied = await startedBy(project.post(`/v1/projects/${project.id}/apply`));
    expect((await project.deployment(held.id)).status).toBe("building");
    expect((await project.deployment(applied.id)).status).toBe("building");
  });
});

describe("an emergency", () => {
  const reason = "Checkout is down";

  it.each([
    ["restart", "POST", "/processes/web/restart", {}],
    ["stop", "POST", "/processes/web/stop", {}],
    ["change of a process", "PATCH", "/processes/web", { memory_mb: 512 }],
    ["apply", "POST", "/apply", {}],
  ] as const)("is recorded for a %s too", async (_name, method, path, body) => {
    const project = await TestProject.connected({ processes: { web: { command: "node server.js" } } });
    await project.deploy();
    await project.patch({ approval: "required", activate_command: "changed" });
    const request = { ...body, emergency: reason };
    const { id } = await startedBy(project.call(method, `/v1/projects/${project.id}${path}`, request));
    expect(await project.agent.orderOf(id)).toMatchObject({ activate_command: "changed" });
    const entries = (await recordedEntries(project.id)).filter(({ target }) => target?.id === id);
    expect(entries).toMatchObject([{ changes: { emergency: { after: reason } } }]);
    expect(await project.deployment(id)).toMatchObject({ emergency: reason });
  });
});

const Targets = z.object({ rollback_targets: z.array(RollbackTarget) });

/** A project with a token that may only deploy, as docs/ci.md recommends, and two deployments that were live. */
async function projectWithTwo() {
  const project = await TestProject.connected();
  await project.deploy();
  await project.deploy();
  const { token } = await newToken(project, ["deployments:write", "deployments:read", "projects:read"]);
  const rollBack = async (body: Record<string, unknown> = {}) =>
    DeploymentStarted.parse(
      await (
        await call("/v1/rollback", { method: "POST", token, body: { project_id: project.id, ...body } })
      ).json(),
    );
  const targets = async () =>
    Targets.parse(await (await project.get(`/v1/projects/${project.id}/rollback-targets`)).json())
      .rollback_targets;
  return { project, token, rollBack, targets };
}

describe("a rollback under a hold", () => {
  it("runs no command that nobody has approved", async () => {
    const { project, token, rollBack, targets } = await projectWithTwo();
    await project.patch({ approval: "required", activate_command: "printenv" });
    const evil = `/v1/projects/${project.id}/processes/evil`;
    await call(evil, { method: "PATCH", token, body: { command: "printenv", instances: 1 } });
    await project.set({ name: "MODE", value: "evil" });
    await evictDurableObject(laneOf(project));
    const [target] = await targets();
    const shown = { runs_with: { settings: "deployed", variables: "live" }, held_by: "approval" };
    expect(target).toMatchObject(shown);
    expect(target?.differs).toEqual(expect.arrayContaining(["activate_command", "variables"]));
    const { id } = await rollBack();
    const order = await project.agent.orderOf(id);
    expect(order).toMatchObject({ activate_command: null, processes: {}, variables: { plain: [] } });
    await project.agent.completes(order);
    await project.reaches(id, "live");
    const log = await (await project.get(`/v1/logs/${id}`)).text();
    expect(log).toContain(
      "Runs with the settings of v1 and the variables that are live, without the changes of",
    );
    expect(log).toContain("What was live before needs no approval");
  });

  it("waits for what its request asks for, says why, and then runs exactly what was approved", async () => {
    const { project, rollBack } = await projectWithTwo();
    await project.patch({ approval: "required" });
    await project.patch({ activate_command: "approved" });
    await project.set({ name: "MODE", value: "approved" });
    const { id } = await rollBack({ settings: "current", variables: "current" });
    const differs = ["activate_command", "variables"];
    expect((await project.deployment(id)).waiting_on).toEqual({ type: "approval", differs });
    const hold = (await recordedEvents(project.id)).find(({ type }) => type === "deployment.held");
    expect(hold?.data).toMatchObject({ deployment: { hold: { type: "approval", differs } } });
    await project.patch({ activate_command: "later", repository: "/srv/git/later.git" });
    await project.set({ name: "MODE", value: "later" });
    expect((await approve(project, id)).status).toBe(200);
    const order = await project.agent.orderOf(id);
    expect(order).toMatchObject({
      activate_command: "approved",
      source: { repository: "/srv/git/shop.git" },
      variables: { plain: [{ name: "MODE", value: "approved" }] },
    });
  });
});

describe("an approved deployment", () => {
  it("runs what was approved, whatever changes before its turn, also if a rollback passes it", async () => {
    const { project, rollBack } = await projectWithTwo();
    await project.patch({ approval: "required", activate_command: "approved" });
    await project.set({ name: "MODE", value: "approved" });
    const { id: freezeId } = await freeze(project, 30);
    const { id } = await project.start();
    await approve(project, id);
    expect((await project.deployment(id)).waiting_on).toMatchObject({ type: "freeze" });
    await project.patch({
      activate_command: "later",
      build_command: "later",
      processes: { web: { command: "later" } },
      cron: [{ name: "later", schedule: "* * * * *", command: "later" }],
    });
    await project.set({ name: "MODE", value: "later" });
    const back = await rollBack();
    await project.agent.completes(await project.agent.orderOf(back.id));
    await project.reaches(back.id, "live");
    await evictDurableObject(laneOf(project));
    await project.call("DELETE", `/v1/freezes/${freezeId}`);
    const order = await project.agent.orderOf(id);
    expect(order).toMatchObject({
      activate_command: "approved",
      processes: {},
      cron: [],
      variables: { plain: [{ name: "MODE", value: "approved" }] },
    });
    expect(order.build_command).toBeUndefined();
  });

  it("gets the variables of a rollback that has passed it before, also if the lane's isolate dies", async () => {
    const { project } = await projectWithTwo();
    await project.patch({ approval: "required" });
    const { id } = await project.start();
    await project.patch({ approval: "none" });
    await project.set({ name: "MODE", value: "new" });
    const back = await project.rollBack();
    await project.agent.completes(await project.agent.orderOf(back.id));
    await project.reaches(back.id, "live");
    await evictDurableObject(laneOf(project));
    await approve(project, id);
    const order = await project.agent.orderOf(id);
    expect(order.variables?.plain).toEqual([{ name: "MODE", value: "new" }]);
  });
});
