import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { SHA } from "../../support/model/model-agent.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { laneOf, TestProject } from "../../support/worker/project.ts";
import { recordedEntries, recordedEvents } from "../../support/worker/recorded.ts";
import {
  OTHER_SHA,
  approve,
  at,
  freeze,
  newToken,
  pass,
  refusalOf,
  startedBy,
} from "../../support/worker/holds.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  return () => vi.useRealTimers();
});

describe("a freeze", () => {
  it("holds deployments until its end, also if the lane's isolate dies", async () => {
    const project = await TestProject.connected();
    const { id: freezeId } = await freeze(project, 30);
    const first = await project.start();
    const second = await project.start();
    expect(await project.deployment(first.id)).toMatchObject({
      status: "building",
      stage: "queued",
      waiting_on: { type: "freeze", id: freezeId },
      deadline_at: null,
    });
    expect(await project.deployment(second.id)).toMatchObject({
      waiting_on: { type: "deployment", id: first.id, position: 1 },
      deadline_at: null,
    });
    await evictDurableObject(laneOf(project));
    await pass(project, 29);
    expect((await project.deployment(first.id)).waiting_on).toMatchObject({ type: "freeze" });
    await evictDurableObject(laneOf(project));
    await pass(project, 2);
    await project.agent.completes(await project.agent.orderOf(first.id));
    await project.agent.completes(await project.agent.orderOf(second.id));
    await project.reaches(second.id, "live");
  });

  it("reaches deployments that wait when it is created, changed or deleted", async () => {
    const project = await TestProject.connected();
    const { id: running } = await project.start();
    const order = await project.agent.orderOf(running);
    const next = await project.start();
    const { id } = await freeze(project, 30, project.id);
    await project.agent.completes(order);
    await vi.waitFor(async () =>
      expect((await project.deployment(next.id)).waiting_on).toMatchObject({ type: "freeze", id }),
    );
    const until = at(90);
    const times = { type: "once", from: at(-1), to: until };
    await project.call("PATCH", `/v1/freezes/${id}`, { times });
    expect((await project.deployment(next.id)).waiting_on).toEqual({ type: "freeze", id, until });
    expect((await project.call("DELETE", `/v1/freezes/${id}`)).status).toBe(204);
    expect((await project.deployment(next.id)).waiting_on).not.toMatchObject({ type: "freeze" });
    await project.agent.completes(await project.agent.orderOf(next.id));
    await project.reaches(next.id, "live");
  });

  it("lets rollbacks pass", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    await project.deploy();
    await freeze(project, 30);
    const held = await project.start();
    const back = await project.rollBack();
    await project.agent.completes(await project.agent.orderOf(back.id));
    await project.reaches(back.id, "live");
    expect((await project.deployment(held.id)).waiting_on).toMatchObject({ type: "freeze" });
    const log = await (await project.get(`/v1/logs/${back.id}`)).text();
    expect(log).toContain("The freeze launch does not hold what was live before");
  });

  it("is deleted with its project", async () => {
    const project = await TestProject.connected();
    const { id } = await freeze(project, 30, project.id);
    await project.remove();
    expect((await project.get(`/v1/freezes/${id}`)).status).toBe(404);
  });
});

describe("an approval", () => {
  it("offers the deployment, and is in its record, its events and the audit log", async () => {
    const project = await TestProject.connected({ approval: "by_another" });
    const { id } = await project.start();
    await project.awaitsApproval(id);
    expect(await refusalOf(approve(project, id))).toEqual([403, "own_deployment"]);
    const ada = await newToken(project, ["deployments:approve", "deployments:read"]);
    const approved = await approve(project, id, { token: ada.token });
    const by = { type: "token", id: ada.id, name: "Ada" };
    expect(await approved.json()).toMatchObject({ approved_by: by });
    await evictDurableObject(laneOf(project));
    await project.agent.completes(await project.agent.orderOf(id));
    await project.reaches(id, "live");
    expect((await approve(project, id, { token: ada.token })).status).toBe(200);
    const events = (await recordedEvents(project.id)).filter(({ type }) => type.startsWith("deployment."));
    expect(events.map(({ type, data }) => `${type} by ${data.actor.name}`).slice(1, 3)).toEqual([
      "deployment.held by Gantry",
      "deployment.approved by Ada",
    ]);
    const approvals = (await recordedEntries(project.id)).filter(
      ({ action }) => action === "approveDeployment",
    );
    // The entry of the refused one is written later.
    expect(approvals.filter(({ outcome }) => outcome === "done")).toHaveLength(1);
  });

  it("needs a scope that starting deployments does not include", async () => {
    const project = await TestProject.connected({ approval: "required" });
    const { id } = await project.start();
    const starter = await newToken(project, ["deployments:write"]);
    await project.awaitsApproval(id);
    expect(await refusalOf(approve(project, id, { token: starter.token }))).toEqual([
      403,
      "insufficient_scope",
    ]);
    expect((await approve(project, id)).status).toBe(200);
  });

  it("is refused where none is needed", async () => {
    const project = await TestProject.connected();
    const { id } = await project.start();
    expect(await problemOf(await approve(project, id))).toMatchObject({
      status: 409,
      code: "not_approvable",
      detail: "v1 needs no approval.",
    });
  });

  it("that nobody gives cancels the deployment after 7 days", async () => {
    const project = await TestProject.connected({ approval: "required" });
    const { id } = await project.start();
    // From the database, because the token expires in that time.
    const status = () =>
      env.DB.prepare("SELECT status FROM deployments WHERE id = ?").bind(id).first("status");
    await pass(project, 7 * 24 * 60 - 1);
    expect(await status()).toBe("building");
    await pass(project, 1);
    await vi.waitFor(async () => expect(await status()).toBe("canceled"));
  });
});

describe("the commit of an approval", () => {
  it("is the only commit that an agent gets the permit for", async () => {
    const project = await TestProject.connected({ approval: "required" });
    const { id } = await project.start();
    await project.awaitsApproval(id);
    await approve(project, id);
    const order = await project.agent.orderOf(id);
    const resolved = { type: "resolved", commit_sha: OTHER_SHA, commit_message: "Not reviewed" } as const;
    const answer = await project.agent.reports(order, { type: "stage", stage: "fetch" }, resolved, {
      type: "ready",
    });
    expect(answer.instruction).toBe("stop");
    await project.agent.reportsCanceled(order);
    await project.reaches(id, "failed");
    expect((await project.deployment(id)).failure?.message).toBe(
      `the agent has fetched ${OTHER_SHA}, but the approved commit is ${SHA}`,
    );
  });
});

describe("an emergency", () => {
  const reason = "Checkout is down";

  it("needs its scope, passes a freeze and an approval, and is in the record, an event and the audit log", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    await project.patch({ approval: "by_another" });
    await freeze(project, 30);
    const held = await project.start();
    const start = (token: string) =>
      call(`/v1/projects/${project.id}/deployments`, { method: "POST", token, body: { emergency: reason } });
    const ci = await newToken(project, ["deployments:write"]);
    expect(await refusalOf(start(ci.token))).toEqual([403, "insufficient_scope"]);
    const onCall = await newToken(project, ["deployments:write", "deployments:emergency"]);
    const { id } = await startedBy(start(onCall.token));
    await evictDurableObject(laneOf(project));
    await project.agent.completes(await project.agent.orderOf(id));
    await project.reaches(id, "live");
    expect(await project.deployment(id)).toMatchObject({ emergency: reason, approved_by: null });
    expect((await project.deployment(held.id)).status).toBe("building");
    const event = (await recordedEvents(project.id)).find(({ type }) => type === "deployment.emergency");
    expect(event?.data).toMatchObject({ actor: { id: onCall.id }, deployment: { id, emergency: reason } });
    const entry = (await recordedEntries(project.id)).find(({ target }) => target?.id === id);
    expect(entry).toMatchObject({ changes: { emergency: { before: null, after: reason } } });
  });

  it("is refused without a reason", async () => {
    const project = await TestProject.connected();
    expect((await project.post(`/v1/projects/${project.id}/deployments`, { emergency: " " })).status).toBe(
      422,
    );
  });
});
