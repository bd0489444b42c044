import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { DeploymentRows, RollbackTargets } from "#contract/endpoints/deployments/schemas.ts";
import worker from "#worker/main.ts";
import { ids } from "../../support/worker/account.ts";
import { problemOf } from "../../support/worker/call.ts";
import { aroundCalls } from "../../support/worker/intercept.ts";
import { laneOf, TestProject } from "../../support/worker/project.ts";

type Row = Record<string, unknown>;

const SHA = "0123456789abcdef0123456789abcdef01234567";
const DAY_MS = 24 * 3_600_000;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const rowsOf = async (query: string, ...values: unknown[]) =>
  (
    await env.DB.prepare(query)
      .bind(...values)
      .all<Row>()
  ).results;

async function putBack(table: "deployments" | "projects", row: Row): Promise<void> {
  const marks = Object.keys(row).map(() => "?");
  await env.DB.prepare(`INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${marks.join()})`)
    .bind(...Object.values(row))
    .run();
}

/** The project's deployments as listed, newest first. */
async function listed(project: TestProject): Promise<string[]> {
  const answer = await project.get(`/v1/projects/${project.id}/deployments`);
  const { deployments } = DeploymentRows.parse(await answer.json());
  return deployments.map(({ version, status }) => `${version} ${status}`);
}

/** The rows of a project in a restored database, whose lane has no data. */
async function insertHistory(project: TestProject): Promise<void> {
  const [account] = await rowsOf("SELECT account_id FROM projects WHERE id = ?", project.id);
  const history = [
    { version: 1, status: "failed", release: null },
    { version: 2, status: "superseded", release: 2 },
    { version: 3, status: "live", release: 3 },
    { version: 4, status: "building", release: null },
  ];
  for (const { version, status, release } of history)
    await putBack("deployments", {
      id: ids.deployment(),
      account_id: account?.["account_id"],
      project_id: project.id,
      server_id: project.agent.serverId,
      version,
      kind: "deploy",
      status,
      stage: status === "building" ? "build" : null,
      waits_for_server: 0,
      branch: "main",
      commit_sha: SHA,
      trigger: "api",
      actor: JSON.stringify({ type: "token", id: "tok_ci", name: "CI" }),
      created_at: version * 1000,
      started_at: version * 1000,
      finished_at: status === "building" ? null : version * 1000 + 500,
      failure:
        status === "failed" ? JSON.stringify({ code: "internal", message: "lost", stage: "build" }) : null,
      evidence:
        release === null
          ? null
          : JSON.stringify({ target: `releases/${release}`, commit_sha: SHA, health_check: null }),
      release,
      release_kept: release === null ? 0 : 1,
      revision: 9,
    });
}

describe("a project that D1 has and whose lane has no data", () => {
  it("continues after the highest version, and each 201 is a deployment that is stored", async () => {
    const project = await TestProject.connected();
    await insertHistory(project);
    const { id, version } = await project.start();
    expect(version).toBe(5);
    await project.agent.completes(await project.agent.orderOf(id), [2, 3]);
    await project.reaches(id, "live");
    expect(await listed(project)).toEqual(["5 live", "4 failed", "3 superseded", "2 superseded", "1 failed"]);
    await evictDurableObject(laneOf(project));
    expect((await project.start()).version).toBe(6);
  });

  it("can be rolled back to earlier live deployments", async () => {
    const project = await TestProject.connected();
    await insertHistory(project);
    const answer = await project.get(`/v1/projects/${project.id}/rollback-targets`);
    expect(RollbackTargets.parse(await answer.json()).rollback_targets).toMatchObject([
      { version: 2, default: true, instant: true },
    ]);
    const { id } = await project.rollBack();
    const order = await project.agent.orderOf(id);
    expect(order).toMatchObject({ version: 5, reuse_release: 2, preapproved: true, keep_releases: [3, 2] });
    await project.agent.completes(order, [2, 3]);
    await project.reaches(id, "live");
  });

  it("refuses to delete its live deployment, and ends deployments that no agent runs", async () => {
    const project = await TestProject.connected();
    await insertHistory(project);
    const [live] = await rowsOf("SELECT id FROM deployments WHERE status = 'live'");
    expect(await problemOf(await project.delete(String(live?.["id"])))).toMatchObject({
      code: "deployment_live",
    });
    expect(await listed(project)).toContain("4 failed");
  });

  it("is taken over once, by the first of many starts", async () => {
    const project = await TestProject.connected();
    await insertHistory(project);
    const started = await Promise.all(Array.from({ length: 5 }, () => project.start()));
    expect(started.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual([5, 6, 7, 8, 9]);
  });

  it("is taken over by the daily repair", async () => {
    const project = await TestProject.connected();
    await insertHistory(project);
    await worker.scheduled({ cron: "", scheduledTime: Date.now(), noRetry: () => undefined }, env);
    expect(await listed(project)).toEqual(["4 failed", "3 live", "2 superseded", "1 failed"]);
  });

  it("starts nothing and answers 503 if D1 does not answer", async () => {
    // The clock stands still, because the Worker caches the token for some seconds.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const project = await TestProject.connected();
    await insertHistory(project);
    expect((await project.get(`/v1/projects/${project.id}`)).status).toBe(200);
    let reads = 0;
    // The first read is the request's, the second the lane's.
    const statement: object = Object.getPrototypeOf(env.DB.prepare("select 1"));
    aroundCalls(statement, "raw", async (call) => {
      reads += 1;
      if (reads === 2) throw new Error("D1 is down");
      return await call();
    });
    const refused = await project.post(`/v1/projects/${project.id}/deployments`, {});
    expect(refused.status).toBe(503);
    expect((await project.start()).version).toBe(5);
  });
});

describe("a deleted project that a restore brought back to D1", () => {
  async function restored() {
    const project = await TestProject.connected();
    await project.deploy();
    await project.deploy();
    const [row] = await rowsOf("SELECT * FROM projects WHERE id = ?", project.id);
    const rows = await rowsOf("SELECT * FROM deployments WHERE project_id = ?", project.id);
    // A deployment that was started after the time of the backup has used its version.
    await project.deploy();
    expect((await project.remove("?purge=true")).status).toBe(204);
    expect(await project.agent.confirmsRemoval(project.id)).toEqual({ purge: true });
    expect((await project.post(`/v1/projects/${project.id}/deployments`, {})).status).toBe(404);
    await putBack("projects", row ?? {});
    for (const deployment of rows) await putBack("deployments", deployment);
    return project;
  }

  it("can be deployed, with a version above all earlier ones", async () => {
    const project = await restored();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 29 * DAY_MS });
    await runDurableObjectAlarm(laneOf(project));
    // The token is a month older by then, too.
    vi.useRealTimers();
    const { id, version } = await project.start();
    expect(version).toBe(4);
    await project.agent.completes(await project.agent.orderOf(id));
    await project.reaches(id, "live");
    expect(await listed(project)).toEqual(["4 live", "2 superseded", "1 superseded"]);
  });

  it("is taken over even if the lane ceases to exist while a start reads D1", async () => {
    const project = await restored();
    let reads = 0;
    let isHeld = true;
    const statement: object = Object.getPrototypeOf(env.DB.prepare("select 1"));
    aroundCalls(statement, "raw", async (call) => {
      const found = await call();
      reads += 1;
      // The first read is the request's. After the fourth, the lane has read the history and has not taken it over yet.
      // It waits with a timer, because a promise of the test belongs to another object.
      if (reads === 4) while (isHeld) await scheduler.wait(5);
      return found;
    });
    const started = project.start();
    await vi.waitFor(() => expect(reads).toBe(4));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31 * DAY_MS });
    await runDurableObjectAlarm(laneOf(project));
    vi.useRealTimers();
    isHeld = false;
    const { id, version } = await started;
    expect(version).toBe(4);
    await project.agent.completes(await project.agent.orderOf(id));
    await project.reaches(id, "live");
  });

  it("can be rolled back", async () => {
    const project = await restored();
    const { id } = await project.rollBack();
    await project.agent.completes(await project.agent.orderOf(id), [1]);
    await project.reaches(id, "live");
  });

  it("can be deleted again, and stays deleted", async () => {
    const project = await restored();
    await project.deploy();
    expect((await project.remove()).status).toBe(204);
    await laneOf(project).repair();
    expect((await project.get(`/v1/projects/${project.id}`)).status).toBe(404);
    expect((await project.post(`/v1/projects/${project.id}/deployments`, {})).status).toBe(404);
  });
});

describe("a database that refuses every write", () => {
  it("makes the lane refuse starts after ten unwritten deployments, until the writes succeed", async () => {
    const project = await TestProject.connected();
    const { id: live } = await project.deploy();
    const down = vi
      .spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch")
      .mockRejectedValue(new Error("D1 takes no writes"));
    const start = () => project.post(`/v1/projects/${project.id}/deployments`, {});
    const statuses: number[] = [];
    for (let count = 0; count < 12; count += 1) statuses.push((await start()).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 201), 503, 503]);
    await evictDurableObject(laneOf(project));
    const refused = await start();
    expect(refused.headers.get("retry-after")).not.toBeNull();
    expect(await problemOf(refused)).toMatchObject({ status: 503, code: "unavailable" });
    const rolledBack = await project.post("/v1/rollback", { project_id: project.id, deployment_id: live });
    expect(rolledBack.status).toBe(503);
    down.mockRestore();
    expect((await project.start()).version).toBe(12);
    expect(await listed(project)).toHaveLength(12);
  });
});
