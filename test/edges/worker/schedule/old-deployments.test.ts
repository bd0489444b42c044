import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";

import { Deployments, RollbackTargets } from "#contract/endpoints/deployments/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { deleteOldDeployments } from "#worker/db/deployments/deployment-retention.ts";
import { removeOldDeployments } from "#worker/schedule/remove-old-deployments.ts";
import { ids } from "../../../support/worker/account.ts";
import { failCalls, onCalls } from "../../../support/worker/intercept.ts";
import { TestProject } from "../../../support/worker/project.ts";
import { inDays, runRound, runScheduleIn } from "../../../support/worker/schedule.ts";

const DAY_MS = 86_400_000;
const WithMeta = z.object({ meta: z.object({ rows_read: z.number() }) });
const bucket: object = Object.getPrototypeOf(env.LOGS);

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const idOf = (version: number) => `dpl_${String(version).padStart(26, "0")}`;

type Row = { readonly status: string; readonly kind?: string; readonly rollbackOf?: number };

/**
 * A connected project with a history: the oldest deployment was created `days` ago, the newest just now.
 * @param rowOf the row of each version, from 1 to `count`
 */
async function withHistory(
  count: number,
  days: number,
  rowOf: (version: number) => Row,
): Promise<{ project: TestProject }> {
  const project = await TestProject.connected();
  const rows = Array.from({ length: count }, (_, at) => {
    const { status, kind = "deploy", rollbackOf } = rowOf(at + 1);
    const time = Date.now() - Math.round(days * DAY_MS * (1 - (at + 1) / count));
    const wasLive = status === "live" || status === "superseded";
    return [
      ...[idOf(at + 1), at + 1, kind, rollbackOf === undefined ? null : idOf(rollbackOf), status],
      ...[time, wasLive ? at + 1 : null],
    ];
  });
  await env.DB.prepare(
    `INSERT INTO deployments (id, account_id, project_id, server_id, version, kind, rollback_of, status,
       waits_for_server, branch, commit_sha, "trigger", actor, created_at, started_at, finished_at, release, release_kept, revision)
     SELECT value ->> 0, account_id, projects.id, server_id, value ->> 1, value ->> 2, value ->> 3, value ->> 4, 0, 'main',
       '${"a".repeat(40)}', 'api', '{"type":"token","id":"tok_seed","name":"CI"}', value ->> 5, value ->> 5, value ->> 5,
       value ->> 6, 0, 1
     FROM json_each(?), projects WHERE projects.id = ?`,
  )
    .bind(JSON.stringify(rows), project.id)
    .run();
  // The lane takes the history over, as after a restore of the database.
  expect((await project.get(`/v1/projects/${project.id}/rollback-targets`)).status).toBe(200);
  return { project };
}

async function keepFor(project: TestProject, days: number | null): Promise<void> {
  const answer = await project.call("PATCH", "/v1/account", { deployment_retention_days: days });
  expect(answer.status).toBe(200);
}

async function versionsOf(project: TestProject): Promise<number[]> {
  const { results } = await env.DB.prepare(
    "SELECT version FROM deployments WHERE project_id = ? ORDER BY version",
  )
    .bind(project.id)
    .all<{ version: number }>();
  return results.map(({ version }) => version);
}

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

async function targetsOf(project: TestProject) {
  const answer = await project.get(`/v1/projects/${project.id}/rollback-targets`);
  return RollbackTargets.parse(await answer.json()).rollback_targets;
}

/** Each fifth has failed. */
const usual =
  (count: number) =>
  (version: number): Row => ({
    status: version === count ? "live" : version % 5 === 0 ? "failed" : "superseded",
  });

describe("deployments that have ended", () => {
  it("are kept forever by default", async () => {
    const { project } = await withHistory(300, 3_000, usual(300));
    await runScheduleIn(3_650);
    expect(await versionsOf(project)).toEqual(from(1, 300));
  });

  it("are removed after the account's time, except the newest hundred and the rollback targets", async () => {
    const { project } = await withHistory(400, 40, usual(400));
    await keepFor(project, 30);
    await runRound(removeOldDeployments);
    // A tenth of a day each: the first hundred are older than 30 days.
    expect(await versionsOf(project)).toEqual(from(101, 400));
    const targets = await targetsOf(project);
    await inDays(100, () => runRound(removeOldDeployments));
    const oldest = targets.at(-1)?.version ?? 0;
    expect(targets.length).toBeGreaterThan(99);
    // No rollback needs those among them that have failed.
    const older = from(oldest, 300).filter((version) => version % 5 !== 0);
    expect(await versionsOf(project)).toEqual([...older, ...from(301, 400)]);
    expect(await targetsOf(project)).toEqual(targets);
  });

  it("stay if they are live, or the code of the live deployment was built by them", async () => {
    const { project } = await withHistory(300, 300, (version) =>
      version === 150
        ? { status: "live", kind: "rollback", rollbackOf: 3 }
        : { status: version === 3 ? "superseded" : "failed" },
    );
    await keepFor(project, 10);
    await runRound(removeOldDeployments);
    expect(await versionsOf(project)).toEqual([3, 150, ...from(201, 300)]);
  });

  it("are removed by the setting of their own account", async () => {
    const { project: brief } = await withHistory(150, 20, usual(150));
    await env.DB.prepare("UPDATE deployments SET id = 'dpl_1' || substr(id, 6)").run();
    const { project: long } = await withHistory(150, 20, usual(150));
    await keepFor(brief, 10);
    await inDays(100, () => runRound(removeOldDeployments));
    expect((await versionsOf(brief)).length).toBeLessThan(150);
    expect(await versionsOf(long)).toEqual(from(1, 150));
  });

  it("do not come back with the daily repair, and everything else works as before", async () => {
    const { project } = await withHistory(300, 300, usual(300));
    await keepFor(project, 10);
    // The first repair writes the rows of this test again, and the lane then drops all but a hundred targets.
    await runScheduleIn(1);
    await runScheduleIn(1);
    const left = await versionsOf(project);
    expect(left.length).toBeLessThan(250);
    await runScheduleIn(2);
    expect(await versionsOf(project)).toEqual(left);
    const listed: number[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const answer = await project.get(`/v1/deployments?project_id=${project.id}&limit=7${cursor}`);
      const { deployments, next_cursor } = Deployments.parse(await answer.json());
      listed.push(...deployments.map(({ version }) => version));
      cursor = next_cursor === null ? null : `&cursor=${next_cursor}`;
    }
    expect(listed.toReversed()).toEqual(left);
    const gone = idOf(1);
    for (const path of [`/v1/deployments/${gone}`, `/v1/logs/${gone}`])
      expect((await project.get(path)).status).toBe(404);
    expect((await project.post("/v1/rollback", { project_id: project.id, deployment_id: gone })).status).toBe(
      409,
    );
    const oldest = (await targetsOf(project)).at(-1);
    const rolledBack = await project.rollBack({ deployment_id: oldest?.deployment_id });
    expect(rolledBack.version).toBe(301);
  });

  it("are removed with their logs, and a log that a crash has left is swept", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { project } = await withHistory(300, 300, usual(300));
    const { id: accountId } = await (await project.get("/v1/account")).json<{ id: string }>();
    const keyOf = (version: number) => `logs/${accountId}/${project.id}/${idOf(version)}/log.ndjson`;
    for (const version of [1, 2, 299]) await env.LOGS.put(keyOf(version), "{}\n");
    await keepFor(project, 250);
    const down = failCalls(bucket, "delete");
    expect(await runRound(removeOldDeployments)).toBe(1);
    down.end();
    expect((await versionsOf(project)).slice(0, 2)).not.toContain(1);
    const keys = async () => (await env.LOGS.list({ prefix: "logs/" })).objects.map(({ key }) => key);
    expect(await keys()).toHaveLength(3);
    await runScheduleIn(1.1);
    expect(await keys()).toEqual([keyOf(299)]);
    await keepFor(project, 1);
    await env.LOGS.put(keyOf(60), "{}\n");
    await inDays(1, () => runRound(removeOldDeployments));
    expect(await keys()).toEqual([keyOf(299)]);
  });

  it("are removed a few hundred at once, in as many steps as needed", async () => {
    const { project } = await withHistory(2_000, 2_000, usual(2_000));
    await keepFor(project, 1);
    const step = { env, clock: { now: () => Date.now() }, since: 0, startedAt: 0 };
    const stepped = await removeOldDeployments.step({ ...step, from: null });
    expect(stepped.next).not.toBeNull();
    expect(await versionsOf(project)).toHaveLength(1_500);
    await runRound(removeOldDeployments);
    expect((await versionsOf(project)).length).toBeLessThan(250);
  });
});

describe("the rows read to remove old deployments", () => {
  async function readFor(kept: number): Promise<number> {
    const projectId: ProjectId = ids.project();
    const accountId = ids.account();
    const now = Date.now();
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${kept + 50})
       INSERT INTO deployments (id, account_id, project_id, server_id, version, kind, status, waits_for_server, branch,
         "trigger", actor, created_at, finished_at, release, release_kept, revision)
       SELECT 'dpl_' || substr(?1, 6, 20) || printf('%06d', i), ?2, ?1, 'srv', i, 'deploy', 'superseded', 0, 'main', 'api',
         '{}', CASE WHEN i <= 50 THEN 1 ELSE ?3 END, CASE WHEN i <= 50 THEN 1 ELSE ?3 END, i, 0, 1 FROM n`,
    )
      .bind(projectId, accountId, now)
      .run();
    const results: unknown[] = [];
    const prepared: object = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));
    const stop = onCalls(prepared, "all", (_, result) => results.push(result));
    const rows = new AccountRows(env.DB, accountId);
    const { deleted } = await deleteOldDeployments(rows, projectId, { endedBefore: now - 1, kept: [] });
    stop();
    expect(deleted).toHaveLength(50);
    return WithMeta.parse(await results[0]).meta.rows_read;
  }

  it("do not grow with deployments that stay", async () => {
    expect(await readFor(10_000)).toBe(await readFor(200));
  });
});
