import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { Deployments, type StageTime } from "#contract/endpoints/deployments/schemas.ts";
import { RESEND_MS } from "#domain/lane/deadlines.ts";
import { problemOf } from "../../support/worker/call.ts";
import { emptyReport, output } from "../../support/connected-agent/events.ts";
import { laneOf, TestProject } from "../../support/worker/project.ts";
import { withoutDatabase } from "../../support/worker/without-database.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a deployment", () => {
  it("goes from building to live by its agent's reports, and supersedes the previous one", async () => {
    const project = await TestProject.connected();
    const { id: first } = await project.deploy();
    const started = await project.start({ branch: "next" });
    const order = await project.agent.orderOf(started.id);
    expect(order).toMatchObject({ version: 2, preapproved: false, reuse_release: null, keep_releases: [1] });
    expect(order.source).toEqual({
      repository: "/srv/git/shop.git",
      branch: "next",
      commit: null,
      commits: "reachable",
      in_branch: false,
      was_live: false,
    });
    await project.agent.reports(order, { type: "stage", stage: "fetch" });
    await vi.waitFor(async () => expect((await project.deployment(started.id)).stage).toBe("fetch"));
    await project.agent.completes(order);
    const live = await project.reaches(started.id, "live");
    expect(live).toMatchObject({
      version: 2,
      branch: "next",
      commit: "0123456",
      commit_message: "Change the title",
      stage: null,
      release_kept: true,
      evidence: { target: "releases/2" },
    });
    await project.reaches(first, "superseded");
  });

  it("waits for its server while the agent is disconnected, and is offered when it connects", async () => {
    const project = await TestProject.create();
    const { id } = await project.start();
    expect(await project.deployment(id)).toMatchObject({
      status: "building",
      stage: "queued",
      waiting_on: { type: "server", id: project.agent.serverId },
    });
    await project.agent.connect();
    await project.agent.completes(await project.agent.orderOf(id));
    await project.reaches(id, "live");
  });

  it("waits for the running one, and shows its position", async () => {
    const project = await TestProject.connected();
    const running = await project.start();
    await project.agent.reports(await project.agent.orderOf(running.id), { type: "stage", stage: "fetch" });
    const second = await project.start();
    const third = await project.start();
    const waitingOn = (position: number) => ({ type: "deployment", id: running.id, position });
    expect((await project.deployment(second.id)).waiting_on).toEqual(waitingOn(1));
    expect((await project.deployment(third.id)).waiting_on).toEqual(waitingOn(2));
  });

  it("stores its failure with the evidence and the times of its stages, and the live one stays live", async () => {
    const project = await TestProject.connected();
    const { id: live } = await project.deploy();
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    const failure = {
      code: "build_failed",
      message: "the build command ended with exit code 2",
      stage: "build",
      evidence: { exit_code: 2, stderr_tail: "no such file" },
    } as const;
    const stages: StageTime[] = [
      { stage: "fetch", duration: 0.001 },
      { stage: "build", duration: 0.002 },
    ];
    // Stages that did not fit into the time since the request would be cut.
    const requestedAt = Date.parse((await project.deployment(id)).created_at);
    await vi.waitFor(() => expect(Date.now() - requestedAt).toBeGreaterThan(3));
    await project.agent.reports(order, {
      type: "result",
      result: { outcome: "failed", failure },
      project: emptyReport(order),
      stages,
    });
    const failed = await project.reaches(id, "failed");
    expect(failed).toMatchObject({ failure, evidence: null, release_kept: false, stages });
    // The result was the first report, so the lane heard of the run at its end.
    expect(failed.duration).toBe(0.003);
    expect((await project.deployment(live)).status).toBe("live");
  });

  it("gets consecutive versions in fifty simultaneous starts, and all are listed at once", async () => {
    const project = await TestProject.connected();
    const started = await Promise.all(Array.from({ length: 50 }, () => project.start()));
    const versions = started.map((one) => one.version).toSorted((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    const list = Deployments.parse(await (await project.get("/v1/deployments?limit=100")).json());
    expect(list.deployments.map((one) => one.version)).toEqual(versions.toReversed());
  });
});

describe("an accepted request or report", () => {
  it("survives an eviction of the object, and continues where it was", async () => {
    const project = await TestProject.connected();
    const running = await project.start();
    const order = await project.agent.orderOf(running.id);
    await project.agent.reports(order, { type: "stage", stage: "fetch" });
    const waiting = await project.start();
    await evictDurableObject(laneOf(project));
    await project.agent.completes(order);
    await project.reaches(running.id, "live");
    await project.agent.completes(await project.agent.orderOf(waiting.id));
    await project.reaches(waiting.id, "live");
    expect((await project.start()).version).toBe(3);
  });

  it("is carried out by the alarm after an outage of D1", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    const restore = withoutDatabase();
    const { id } = await project.start();
    expect((await project.get(`/v1/deployments/${id}`)).status).toBe(404);
    restore();
    await vi.waitFor(async () => expect((await project.deployment(id)).status).toBe("building"));
  });

  it("counts once if a batch of events is repeated", async () => {
    const project = await TestProject.connected();
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    const events = [{ ...output("once"), seq: 1 }];
    await project.agent.postEvents(order, events);
    expect(await project.agent.postEvents(order, events)).toEqual({ acked_seq: 1, instruction: "continue" });
    const log = await (await project.get(`/v1/logs/${id}`, { accept: "text/plain" })).text();
    expect(log.match(/once/g)).toHaveLength(1);
  });
});

describe("canceling", () => {
  it("ends a queued deployment at once, and the running one continues", async () => {
    const project = await TestProject.connected();
    const running = await project.start();
    const order = await project.agent.orderOf(running.id);
    await project.agent.reports(order, { type: "stage", stage: "fetch" });
    const waiting = await project.start();
    const canceled = await project.post(`/v1/deployments/${waiting.id}/cancel`);
    expect(canceled.status).toBe(200);
    expect(await canceled.json()).toMatchObject({ id: waiting.id, status: "canceled", stage: null });
    await project.agent.completes(order);
    await project.reaches(running.id, "live");
  });

  it("sends a stop for a running deployment, and the next one starts only after it stopped", async () => {
    const project = await TestProject.connected();
    const running = await project.start();
    const order = await project.agent.orderOf(running.id);
    await project.agent.reports(order, { type: "stage", stage: "fetch" });
    const next = await project.start();
    const canceled = await project.post(`/v1/deployments/${running.id}/cancel`);
    expect(await canceled.json()).toMatchObject({ status: "building", stage: "canceling" });
    expect(await project.agent.receives("stop")).toMatchObject({ run_id: order.run_id });
    expect(project.agent.received.filter((message) => message.type === "run")).toHaveLength(1);
    await project.agent.reportsCanceled(order);
    await project.reaches(running.id, "canceled");
    await project.agent.orderOf(next.id);
    const again = await project.post(`/v1/deployments/${running.id}/cancel`);
    expect(await problemOf(again)).toMatchObject({
      ...{ status: 409, code: "not_cancelable" },
      detail: "v1 has ended. Its status is canceled.",
    });
  });

  it("is refused once the permit was given", async () => {
    const project = await TestProject.connected();
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    await project.agent.reports(order, { type: "ready" });
    expect(await problemOf(await project.post(`/v1/deployments/${id}/cancel`))).toMatchObject({
      code: "not_cancelable",
      detail: "The server is activating v1.",
    });
    expect(await problemOf(await project.delete(id))).toMatchObject({
      status: 409,
      code: "deployment_activating",
      detail: "The server is activating v1. Try again when it has ended.",
    });
  });
});

describe("deleting", () => {
  it("refuses the live deployment, deletes a superseded one with its log, and never reuses its version", async () => {
    const project = await TestProject.connected();
    const { id: first } = await project.deploy();
    const { id: second } = await project.deploy();
    expect(await problemOf(await project.delete(second))).toMatchObject({
      status: 409,
      code: "deployment_live",
      detail: "v2 is live. Deploy or roll back to another version first.",
    });
    await vi.waitFor(async () =>
      expect((await env.LOGS.list()).objects.map((one) => one.key).join()).toContain(first),
    );
    const deleted = await project.delete(first);
    expect([deleted.status, await deleted.text()]).toEqual([204, ""]);
    expect((await project.delete(first)).status).toBe(404);
    expect((await project.get(`/v1/logs/${first}`)).status).toBe(404);
    expect((await env.LOGS.list()).objects.map((one) => one.key).join()).not.toContain(first);
    expect((await project.start()).version).toBe(3);
  });

  it("removes a running deployment from lists at once, and the next one waits until the agent has stopped it", async () => {
    const project = await TestProject.connected();
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    await project.agent.reports(order, { type: "stage", stage: "fetch" }, output("working"));
    const next = await project.start();
    expect((await project.delete(id)).status).toBe(204);
    expect((await project.get(`/v1/deployments/${id}`)).status).toBe(404);
    await project.agent.receives("stop");
    expect(project.agent.received.filter((message) => message.type === "run")).toHaveLength(1);
    await project.agent.reports(order, output("one more line"));
    await project.agent.reportsCanceled(order);
    await project.agent.orderOf(next.id);
    await vi.waitFor(async () =>
      expect((await env.LOGS.list()).objects.map((one) => one.key).join()).not.toContain(id),
    );
  });

  it("deletes a failed deployment that the lane has dropped", async () => {
    const project = await TestProject.connected();
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    const failure = { code: "fetch_failed", message: "no route", stage: "fetch" } as const;
    await project.agent.reports(order, {
      type: "result",
      result: { outcome: "failed", failure },
      project: emptyReport(order),
    });
    await project.reaches(id, "failed");
    expect((await project.delete(id)).status).toBe(204);
    expect((await project.get(`/v1/deployments/${id}`)).status).toBe(404);
  });
});

describe("rolling back", () => {
  it("only activates the kept release, and goes back one more release each time", async () => {
    const project = await TestProject.connected();
    const { id: first } = await project.deploy();
    await project.deploy();
    await project.deploy();
    const back = await project.rollBack();
    expect(back).toMatchObject({ status: "building", version: 4 });
    const order = await project.agent.orderOf(back.id);
    expect(order).toMatchObject({ reuse_release: 2, preapproved: true });
    await project.agent.completes(order);
    expect(await project.reaches(back.id, "live")).toMatchObject({ kind: "rollback", commit: "0123456" });
    const further = await project.rollBack();
    await project.agent.completes(await project.agent.orderOf(further.id));
    expect(await project.reaches(further.id, "live")).toMatchObject({ rollback_of: first });
    const none = await project.post("/v1/rollback", { project_id: project.id });
    expect(await problemOf(none)).toMatchObject({ status: 409, code: "no_rollback_target" });
    const same = await project.post("/v1/rollback", { project_id: project.id, version: 5 });
    expect(await problemOf(same)).toMatchObject({ status: 409, code: "already_live" });
    const targets = await (await project.get(`/v1/projects/${project.id}/rollback-targets`)).json();
    expect(targets).toMatchObject({
      rollback_targets: [
        { version: 4, instant: true },
        { version: 3, instant: true },
      ],
    });
  });

  it("always requires an order: a result without a commit is refused", async () => {
    const project = await TestProject.connected();
    const order = await project.agent.orderOf((await project.start()).id);
    await project.agent.reports(order, { type: "ready" });
    const report = { project_id: project.id, release: 1, releases: [1], url: null };
    const evidence = { target: "releases/1", commit_sha: "the newest", health_check: null };
    const result = { outcome: "live", release: 1, evidence } as const;
    const reported = project.agent.reports(order, { type: "result", result, project: report });
    await expect(reported).rejects.toThrow(/422/);
  });

  it("is refused if the deployment in If-Live is not live", async () => {
    const project = await TestProject.connected();
    const { id: first } = await project.deploy();
    const { id: second } = await project.deploy();
    const body = { project_id: project.id };
    const refused = await project.post("/v1/rollback", body, { "if-live": first });
    expect(await problemOf(refused)).toMatchObject({ status: 412, code: "live_changed" });
    expect((await project.post("/v1/rollback", body, { "if-live": second })).status).toBe(201);
  });
});

describe("time running out", () => {
  it("fails an offer that no agent accepts, by the real alarm", async () => {
    const project = await TestProject.create({ timeouts: { queue_seconds: 1 } });
    const { id } = await project.start();
    const failed = await vi.waitFor(async () => {
      const deployment = await project.deployment(id);
      if (deployment.status !== "failed") throw new Error(deployment.status);
      return deployment;
    });
    expect(failed.failure).toMatchObject({ code: "server_offline", stage: "queued" });
  });

  it("ends no run that its agent has continued while the control plane was away for an hour", async () => {
    const project = await TestProject.connected();
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    await project.agent.reports(order, { type: "stage", stage: "fetch" });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60 * 60_000 });
    await runDurableObjectAlarm(laneOf(project));
    vi.useRealTimers();
    expect(await project.deployment(id)).toMatchObject({ status: "building", stage: "fetch" });
    await project.agent.completes(order);
    await project.reaches(id, "live");
  });
});

describe("a rollback whose permit was sent with its order", () => {
  it("cannot be canceled or deleted while its agent is disconnected, also after the order is sent again", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    await project.deploy();
    const { id } = await project.rollBack();
    const order = await project.agent.orderOf(id);
    expect(order).toMatchObject({ preapproved: true, reuse_release: 1 });
    const refused = async () => {
      const canceled = await project.post(`/v1/deployments/${id}/cancel`);
      expect(await problemOf(canceled)).toMatchObject({ status: 409, code: "not_cancelable" });
      const deleted = await project.delete(id);
      expect(await problemOf(deleted)).toMatchObject({ status: 409, code: "deployment_activating" });
    };
    await refused();
    project.agent.cut();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    for (let resend = 0; resend < 2; resend += 1) {
      vi.setSystemTime(Date.now() + RESEND_MS + 1000);
      await runDurableObjectAlarm(laneOf(project));
      await evictDurableObject(laneOf(project));
      await refused();
    }
    await project.agent.completes(order, [1, 2]);
    await project.reaches(id, "live");
  });

  it("can be canceled if the agent was not connected when it was sent", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    await project.deploy();
    project.agent.cut();
    const { id } = await project.rollBack();
    await vi.waitFor(async () =>
      expect((await project.post(`/v1/deployments/${id}/cancel`)).status).toBe(200),
    );
    await project.reaches(id, "canceled");
  });
});
