import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { AccountId } from "#contract/ids.ts";
import { removeExpired } from "#worker/db/schedule/remove-expired.ts";
import { defaultPlan } from "../../../support/plan.ts";
import { ids } from "../../../support/worker/account.ts";
import { call, problemOf } from "../../../support/worker/call.ts";
import { enrolAgent } from "../../../support/worker/enrol-agent.ts";
import { fillHistory } from "../../../support/worker/fill-tables.ts";
import { aroundCalls, failCalls } from "../../../support/worker/intercept.ts";
import { laneOf, TestProject } from "../../../support/worker/project.ts";
import { withoutDatabase } from "../../../support/worker/without-database.ts";
import { DAY_MS, laneTables, remains } from "../../../support/worker/remains.ts";

async function tablesIn(lane: ReturnType<typeof laneOf>): Promise<unknown[]> {
  return await runInDurableObject(lane, (_lane, { storage }) =>
    storage.sql
      .exec(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf*' AND name NOT GLOB 'sqlite_*'",
      )
      .toArray(),
  );
}

/** The pending reports in the link of its agent. */
async function unheardBy({ agent }: TestProject): Promise<number> {
  return await runInDurableObject(
    env.AGENT_LINK.getByName(agent.serverId),
    (_link, { storage }) => storage.sql.exec("SELECT * FROM said").toArray().length,
  );
}

async function ownerOf({ token, id }: TestProject) {
  const account = await (await call("/v1/account", { token })).json<{ id: string }>();
  return { accountId: AccountId.parse(account.id), projectId: id };
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("deleting a project", () => {
  it("keeps its lane, which refuses a start that found the project before the deletion", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    const owner = await ownerOf(project);
    await project.remove();
    await evictDurableObject(laneOf(project));
    const late = await laneOf(project).rollBack({
      owner,
      requestKey: null,
      audit: null,
      choice: { deploymentId: null, version: null },
      runWith: { settings: null, variables: null },
      variables: { revision: 0, notSealed: [] },
      approval: "none",
      freezes: { sequence: 0, rules: [] },
      serverId: ids.server(),
      actor: { type: "token", id: "tok_ci", name: "ci" },
      person: null,
      plan: defaultPlan,
      queue: "all",
      ifLive: null,
      emergency: null,
    });
    expect(late).toMatchObject({ ok: false, refusal: { code: "not_found" } });
    expect((await remains(project)).rows).toBe(0);
  });

  it("is completed by the alarm if D1 fails in the middle, and can be repeated before that", async () => {
    const project = await TestProject.connected();
    const { id } = await project.deploy();
    const restore = withoutDatabase();
    const refused = await project.remove();
    expect(await problemOf(refused)).toMatchObject({ status: 503, code: "unavailable" });
    expect(refused.headers.get("retry-after")).not.toBeNull();
    expect((await project.post(`/v1/projects/${project.id}/deployments`)).status).toBe(404);
    expect((await project.remove()).status).toBe(503);
    await evictDurableObject(laneOf(project));
    restore();
    await runDurableObjectAlarm(laneOf(project));
    expect(await remains(project)).toEqual({ rows: 0, logs: 0 });
    expect((await project.get(`/v1/deployments/${id}`)).status).toBe(404);
  });

  it("is completed by a repeated request after an outage of D1", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    const restore = withoutDatabase();
    expect((await project.remove()).status).toBe(503);
    restore();
    expect((await project.remove()).status).toBe(204);
    expect((await remains(project)).rows).toBe(0);
  });

  it("deletes the logs after an outage of R2", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    await vi.waitFor(async () => expect((await remains(project)).logs).toBe(1));
    const down = vi
      .spyOn(Object.getPrototypeOf(env.LOGS), "delete")
      .mockRejectedValue(new Error("R2 is down"));
    expect((await project.remove()).status).toBe(204);
    await vi.waitFor(() => expect(down).toHaveBeenCalled());
    down.mockRestore();
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(laneOf(project));
      expect((await remains(project)).logs).toBe(0);
    });
  });

  it("deletes its lane after 30 days, the time in which D1 can be restored", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    await project.remove();
    await vi.waitFor(async () => expect(await remains(project)).toEqual({ rows: 0, logs: 0 }));
    expect(await laneTables(project)).toMatchObject({ lane: 1 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 29 * DAY_MS });
    await runDurableObjectAlarm(laneOf(project));
    expect(await laneTables(project)).toMatchObject({ lane: 1 });
    vi.setSystemTime(Date.now() + 2 * DAY_MS);
    // The work of the deletion may still be pending at the first alarm.
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(laneOf(project));
      expect(await tablesIn(laneOf(project))).toEqual([]);
    });
    expect(await runInDurableObject(laneOf(project), (_lane, { storage }) => storage.getAlarm())).toBeNull();
  });

  it("stays complete when its lane still works as its time ends", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    await project.remove();
    await vi.waitFor(async () => expect(await remains(project)).toEqual({ rows: 0, logs: 0 }));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31 * DAY_MS });
    const lane = laneOf(project);
    const held = Promise.withResolvers<void>();
    let isHeld = false;
    await evictDurableObject(lane);
    await runInDurableObject(lane, (_lane, { storage }) =>
      aroundCalls(storage, "setAlarm", async (set) => {
        if (isHeld) return await set();
        isHeld = true;
        return await held.promise;
      }),
    );
    const repair = lane.repair();
    await vi.waitFor(() => expect(isHeld).toBe(true));
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(lane);
      expect(await tablesIn(lane)).toEqual([]);
    });
    held.resolve();
    await repair;
    expect(await tablesIn(lane)).toEqual([]);
  });

  it("stays complete when a server reports its files or an old run", async () => {
    const project = await TestProject.connected();
    const { order } = await project.deploy();
    await project.remove();
    await vi.waitFor(async () => expect(await remains(project)).toEqual({ rows: 0, logs: 0 }));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31 * DAY_MS });
    // The work of the deletion may still be pending at the first alarm.
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(laneOf(project));
      expect(await tablesIn(laneOf(project))).toEqual([]);
    });
    const report = { project_id: project.id, release: 1, releases: [1], url: null };
    await project.agent.connect({ projects: [report], runs: [order] });
    await project.agent.receives("welcome");
    project.agent.serving(report);
    await expect(project.agent.reports(order, { type: "ready" })).resolves.toMatchObject({
      instruction: "ended",
    });
    await vi.waitFor(async () => expect(await unheardBy(project)).toBe(0));
    expect(await tablesIn(laneOf(project))).toEqual([]);
  });
});

describe("the agent of a deleted project", () => {
  it("gets the order at each hello until it has confirmed, also after a long time", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    project.agent.cut();
    await vi.waitFor(async () => expect((await project.remove("?purge=true")).status).toBe(204));
    await evictDurableObject(laneOf(project));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 90 * 86_400_000 });
    await runDurableObjectAlarm(laneOf(project));
    await project.agent.connect({
      projects: [{ project_id: project.id, release: 1, releases: [1], url: null }],
    });
    await project.agent.receives("remove_project");
    project.agent.cut();
    project.agent.received.length = 0;
    await project.agent.connect();
    expect(await project.agent.confirmsRemoval(project.id)).toEqual({ purge: true });
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(laneOf(project));
      expect(await laneTables(project)).toMatchObject({ lane: 0 });
    });
  });

  it("gets the order even if the project was never deployed, or D1 failed during the request", async () => {
    const project = await TestProject.connected();
    const restore = withoutDatabase();
    expect((await project.remove("?purge=true")).status).toBe(503);
    expect(await project.agent.confirmsRemoval(project.id)).toEqual({ purge: true });
    restore();
    expect((await project.remove("?purge=true")).status).toBe(204);
  });

  it("gets the order on each server that the project was on", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    const to = await enrolAgent(project.token, "web-2");
    await to.connect();
    await project.patch({ server_id: to.serverId });
    await project.deploy({}, to);
    await project.agent.confirmsRemoval(project.id);
    project.agent.received.length = 0;
    expect((await project.remove("?purge=true")).status).toBe(204);
    expect(await to.confirmsRemoval(project.id)).toEqual({ purge: true });
    expect(await project.agent.confirmsRemoval(project.id)).toEqual({ purge: true });
  });
});

describe("the deletion of a project with a long history", () => {
  const LONG = 2_200;

  async function withHistory() {
    const project = await TestProject.create();
    const owner = await ownerOf(project);
    const { agent } = project;
    await fillHistory({ ...owner, serverId: agent.serverId, hookId: null, size: LONG, seed: 1 });
    const newest = `dpl_01${String(LONG).padStart(24, "0")}`;
    expect((await project.get(`/v1/deployments/${newest}`)).status).toBe(200);
    return { project, newest };
  }

  async function deletes(project: TestProject) {
    return await call(`/v1/projects/${project.id}`, { method: "DELETE", token: project.token });
  }

  async function rowsLeft(project: TestProject): Promise<number> {
    const tables = ["deployments", "variables", "variable_revisions", "commands"];
    const counts = tables.map(
      (table) => `(SELECT count(*) FROM ${table} WHERE project_id = '${project.id}')`,
    );
    const sum = `SELECT ${counts.join(" + ")} + (SELECT count(*) FROM removed_projects) AS rows`;
    return (await env.DB.prepare(sum).first<number>("rows")) ?? -1;
  }

  it("hides it at once, and deletes its rows in small batches afterwards", async () => {
    const { project, newest } = await withHistory();
    const outage = outageAfterFirstBatch();
    expect((await deletes(project)).status).toBe(204);
    expect(await rowsLeft(project)).toBeGreaterThan(1_000);
    const { token } = project;
    for (const path of [
      `/v1/projects/${project.id}/deployments`,
      `/v1/deployments/${newest}`,
      `/v1/logs/${newest}`,
    ])
      expect((await call(path, { token })).status, path).toBe(404);
    for (const query of [
      "",
      "?status=failed",
      "?branch=main",
      `?project_id=${project.id}`,
      "?commit=0000000000",
    ]) {
      const listed = await (await call(`/v1/deployments${query}`, { token })).json();
      expect(listed, query).toMatchObject({ deployments: [] });
    }
    outage();
    await evictDurableObject(laneOf(project));
    await vi.waitFor(
      async () => {
        await runDurableObjectAlarm(laneOf(project));
        expect(await rowsLeft(project)).toBe(0);
      },
      { interval: 100 },
    );
    expect(await remains(project)).toEqual({ rows: 0, logs: 0 });
  });

  it("hides the changes of its variables and its commands too", async () => {
    const { project } = await withHistory();
    const { accountId } = await ownerOf(project);
    const { token } = project;
    const rows = `WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)`;
    const owner = `'${accountId}', '${project.id}'`;
    const actor = `'{"type":"token","id":"tok_seed","name":"CI"}'`;
    await env.DB.batch([
      env.DB.prepare(`${rows} INSERT INTO variable_revisions
        (id, account_id, project_id, revision, changed_at, changed_by, set_names, removed_names)
        SELECT '${project.id}/' || i, ${owner}, i, i, ${actor}, '["OLD"]', '[]' FROM n`),
      env.DB.prepare(`${rows} INSERT INTO commands
        (id, account_id, project_id, command, timeout_seconds, actor, created_at)
        SELECT 'cmd_01' || printf('%024d', i), ${owner}, 'true', 60, ${actor}, i FROM n`),
    ]);
    const outage = outageAfterFirstBatch();
    expect((await deletes(project)).status).toBe(204);
    for (const list of ["variables/revisions", "commands"]) {
      const path = `/v1/projects/${project.id}/${list}`;
      expect((await call(path, { token })).status, path).toBe(404);
    }
    outage();
  });

  it("lets its server go at once", async () => {
    const { project, newest } = await withHistory();
    await env.DB.prepare("UPDATE deployments SET status = 'live' WHERE id = ?").bind(newest).run();
    const outage = outageAfterFirstBatch();
    expect((await deletes(project)).status).toBe(204);
    const server = `/v1/servers/${project.agent.serverId}`;
    expect((await call(server, { method: "DELETE", token: project.token })).status).toBe(204);
    outage();
  });

  it("stops if a restore of the database has brought the project back", async () => {
    const { project, newest } = await withHistory();
    const { results } = await env.DB.prepare("SELECT * FROM projects WHERE id = ?").bind(project.id).all();
    const outage = outageAfterFirstBatch();
    expect((await deletes(project)).status).toBe(204);
    const left = await rowsLeft(project);
    const [row = {}] = results;
    const columns = Object.keys(row);
    await env.DB.batch([
      env.DB.prepare("DELETE FROM removed_projects"),
      env.DB.prepare(
        `INSERT INTO projects (${columns.map((name) => `"${name}"`).join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
      ).bind(...Object.values(row)),
    ]);
    outage();
    await runDurableObjectAlarm(laneOf(project));
    expect(await rowsLeft(project)).toBe(left - 1);
    expect((await project.get(`/v1/deployments/${newest}`)).status).toBe(200);
  });

  it("is finished by the schedule if the lane does not know of it", async () => {
    const { project } = await withHistory();
    const { accountId } = await ownerOf(project);
    await env.DB.batch([
      env.DB.prepare("INSERT INTO removed_projects (id, account_id) VALUES (?, ?)").bind(
        project.id,
        accountId,
      ),
      env.DB.prepare("DELETE FROM projects WHERE id = ?").bind(project.id),
    ]);
    for (let run = 0; run < 4; run += 1) await removeExpired(env.DB, Date.now());
    expect(await rowsLeft(project)).toBe(0);
  });
});

/** Lets the batch that deletes a project pass, and none after it. @returns a function that ends the outage */
function outageAfterFirstBatch(): () => void {
  const outage = failCalls(Object.getPrototypeOf(env.DB.withSession()), "batch", {
    when: ([statements]) => Array.isArray(statements) && statements.length === LAST_BATCH,
  });
  return () => outage.end();
}

/** How many statements `restDeletion` has. */
const LAST_BATCH = 5;
