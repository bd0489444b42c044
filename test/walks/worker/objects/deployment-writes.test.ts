import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";

import type { RunOrder } from "#contract/agent-order.ts";
import { PRESET } from "../../../support/connected-agent/connected-agent.ts";
import { emptyReport, output } from "../../../support/connected-agent/events.ts";
import { recordWrites } from "../../../support/worker/d1-writes.ts";
import { type HeldTimers, holdTimers } from "../../../support/worker/hold-timers.ts";
import { TestProject } from "../../../support/worker/project.ts";
import { recordedEvents } from "../../../support/worker/recorded.ts";

/** How long the progress of a run waits for more. */
const PROGRESS_MS = 250;

const started = ["deployments", "events", "audit_entries"];
const ended = ["deployments", "projects", "events"];

let project: TestProject;
let timers: HeldTimers;
/** Writes the progress that waits. */
let writeProgress: () => Promise<void>;

/** A project with a live deployment, whose agent is connected. */
beforeEach(async () => {
  // The test decides when progress is written: a busy machine may take longer than that between two reports.
  timers = holdTimers(PROGRESS_MS);
  project = await TestProject.connected();
  await project.deploy();
  writeProgress = async () => await timers.release(env.PROJECT_LANE.getByName(project.id));
  return writeProgress;
});

/** Writes the progress that waits, until a reader sees it. */
async function showProgress({ deployment_id: id }: RunOrder): Promise<void> {
  await writeProgress();
  await vi.waitFor(async () => expect((await project.deployment(id)).stage).toBe("activate"));
}

/** Starts a deployment whose agent has reported all but the result. */
async function prepare(): Promise<RunOrder> {
  const { id } = await project.start();
  const order = await project.agent.orderOf(id);
  const { agent } = project;
  await agent.reports(order, { type: "stage", stage: "fetch" }, output("Fetched"));
  await agent.reports(order, { type: "resolved", commit_sha: "8".repeat(40), commit_message: "Title" });
  await agent.reports(order, { type: "framework", preset: PRESET }, { type: "stage", stage: "build" });
  await agent.reports(order, { type: "stage", stage: "activate" });
  return order;
}

const report = (order: RunOrder) => ({
  ...emptyReport(order),
  release: order.version,
  releases: [order.version],
});

async function goLive(order: RunOrder, processes: "none" | "web" = "none"): Promise<void> {
  const release = order.version;
  const evidence = { target: `releases/${release}`, commit_sha: "8".repeat(40), health_check: null };
  await project.agent.reports(
    order,
    { type: "ready" },
    {
      type: "result",
      result: { outcome: "live", release, evidence },
      project: { ...report(order), ...(processes === "none" ? {} : { processes: [web] }) },
    },
  );
  await project.reaches(order.deployment_id, "live");
}

const web = {
  ...{ name: "web", command: "node server.js", port: true, wanted: 1, stopped: false },
  instances: [
    {
      ...{ name: "web-1-0", state: "live" as const, started_at: "2026-11-20T09:14:43.090Z", restarts: 0 },
      ...{ memory_bytes: 1, cpu_percent: 1, last_exit: null, last_output: null },
    },
  ],
};

describe("what a deployment writes to D1", () => {
  it("is six statements in two batches, with its events and its audit entry", async () => {
    const written = recordWrites();
    await goLive(await prepare());
    expect(written).toEqual([started, ended]);
  });

  it("is the same for an app with processes", async () => {
    const written = recordWrites();
    await goLive(await prepare(), "web");
    expect(written).toEqual([started, ended]);
  });

  it("is the same for a deployment that fails", async () => {
    const written = recordWrites();
    const order = await prepare();
    const failure = { code: "build_failed", message: "it failed", stage: "build" } as const;
    const result = { outcome: "failed", failure } as const;
    await project.agent.reports(order, { type: "result", result, project: report(order) });
    await project.reaches(order.deployment_id, "failed");
    expect(written).toEqual([started, ended]);
  });

  it("is nothing for the heartbeats of its run", async () => {
    const order = await prepare();
    await showProgress(order);
    const written = recordWrites();
    for (let times = 0; times < 3; times += 1)
      expect(await project.agent.reports(order)).toMatchObject({ instruction: "continue" });
    await writeProgress();
    expect(written).toEqual([]);
    await goLive(order);
    expect(written).toEqual([ended]);
  });

  it("is the same for a rollback", async () => {
    await goLive(await prepare());
    const written = recordWrites();
    const { id } = await project.rollBack();
    await project.agent.completes(await project.agent.orderOf(id));
    await project.reaches(id, "live");
    expect(written).toEqual([started, ended]);
  });

  it("is one batch more for a deployment that is canceled", async () => {
    const written = recordWrites();
    const order = await prepare();
    expect((await project.post(`/v1/deployments/${order.deployment_id}/cancel`, {})).status).toBe(200);
    await project.agent.reportsCanceled(order);
    await project.reaches(order.deployment_id, "canceled");
    expect(written).toEqual([started, ["deployments", "projects", "events", "audit_entries"], ended]);
  });

  it("is one batch more for each time that its progress is shown", async () => {
    const written = recordWrites();
    const order = await prepare();
    await showProgress(order);
    await goLive(order);
    expect(written).toEqual([started, ["deployments", "projects", "events"], ended]);
  });

  it("has the project's row among its progress only if another framework is detected", async () => {
    await goLive(await prepare());
    const written = recordWrites();
    const order = await prepare();
    await showProgress(order);
    await goLive(order);
    expect(written).toEqual([started, ["deployments", "events"], ended]);
  });

  it("has the same framework at its end, in case the database was restored to one without it", async () => {
    await goLive(await prepare());
    await env.DB.prepare("UPDATE projects SET detected = NULL").run();
    await goLive(await prepare());
    const found = await env.DB.prepare("SELECT detected ->> 'framework' AS framework FROM projects").first();
    expect(found).toEqual({ framework: PRESET.framework });
  });

  it("is one batch of the alarm if the lane dies while progress waits", async () => {
    const order = await prepare();
    const stage = async () => (await project.deployment(order.deployment_id)).stage;
    const lane = env.PROJECT_LANE.getByName(project.id);
    const written = recordWrites();
    const killed = runInDurableObject(lane, (_lane, state) => state.abort("killed by the test"));
    await expect(killed).rejects.toThrow("killed by the test");
    timers.drop();
    expect(await stage()).toBe("queued");
    expect(await runDurableObjectAlarm(env.PROJECT_LANE.getByName(project.id))).toBe(true);
    expect(await stage()).toBe("activate");
    expect(written).toEqual([["deployments", "projects", "events"]]);
  });

  it("shows each event with the deployment as it was, in order", async () => {
    const order = await prepare();
    await writeProgress();
    await goLive(order);
    const types = (await recordedEvents(project.id)).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith("deployment.")).slice(3)).toEqual([
      "deployment.started",
      "deployment.building",
      "deployment.superseded",
      "deployment.live",
    ]);
  });
});
