import { and, asc, desc, eq, isNotNull, lt, not, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { alias } from "drizzle-orm/sqlite-core";

import { DEFAULT_LOG_RETENTION_DAYS } from "#contract/endpoints/accounts/schemas.ts";
import { DeploymentId, type ProjectId } from "#contract/ids.ts";
import type { LogRecord } from "#domain/log-fate.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { isOneOf, limited, qb } from "#worker/db/statements.ts";
import { accounts, deployments, projects } from "#worker/db/schema.ts";

/** How many of a project's newest deployments always stay. */
export const KEPT_DEPLOYMENTS = 100;

/** The most rows that one statement deletes. It reads more rows than that, because some of the old ones stay. */
const MAX_DELETED = 500;
const MAX_READ = 1_000;

type Old = {
  /** Unix milliseconds. */
  readonly endedBefore: number;
  /** The deployments that stay at any age. */
  readonly kept: readonly DeploymentId[];
};

const old = alias(deployments, "old");

/**
 * Deletes deployments of a project that ended before a time, a few hundred at once and the oldest first. Deployments
 * that have not ended, the live deployment and the newest hundred stay. Reads the old rows and a hundred others, however many younger ones
 * the project has.
 *
 * @returns the deleted ones, and whether more may be left
 */
export async function deleteOldDeployments(
  rows: AccountRows,
  projectId: ProjectId,
  { endedBefore, kept }: Old,
): Promise<{ deleted: DeploymentId[]; isAll: boolean }> {
  const ofProject = eq(old.projectId, projectId);
  const oldestKept = rows.first<number>(old.version, old, ofProject, desc(old.version), KEPT_DEPLOYMENTS - 1);
  // Versions rise with time. So no version above the lowest version that is too young has to be read.
  const lowest = qb
    .select({ version: old.version, createdAt: old.createdAt })
    .from(old)
    .where(ofProject)
    .orderBy(asc(old.version));
  const firstYoung = sql`(select version from (${lowest.getSQL()}${limited(MAX_READ)}) where created_at >= ${endedBefore} limit 1)`;
  const isRemovable = and(
    ofProject,
    // Null, and so no row, if the project has fewer deployments than always stay.
    sql`${old.version} < min(${oldestKept}, coalesce(${firstYoung}, ${Number.MAX_SAFE_INTEGER}))`,
    sql`${old.status} in ('superseded', 'failed', 'canceled')`,
    lt(old.finishedAt, endedBefore),
    not(isOneOf(old.id, kept)),
  );
  const some = qb.select({ id: old.id }).from(old).where(isRemovable).orderBy(asc(old.version));
  const isOneOfThem = sql`${deployments.id} in (${some.getSQL()}${limited(MAX_DELETED)})`;
  const deletion = rows.delete(deployments, isOneOfThem);
  const ids = await rows.runReturning(deletion, deployments.id);
  return { deleted: ids.map((id) => DeploymentId.parse(id)), isAll: ids.length < MAX_DELETED };
}

type Owner = { readonly projectId: ProjectId; readonly deploymentId: DeploymentId };

/**
 * The state of the deployments that logs belong to, of all accounts, for the decision whether to delete the logs.
 * One D1 round trip to the primary: a row that a replica does not have yet must not count as deleted.
 *
 * @returns in the order of `owners`
 */
export async function findLogRecords(database: D1Database, owners: readonly Owner[]): Promise<LogRecord[]> {
  const deploymentIds = owners.map(({ deploymentId }) => deploymentId);
  const projectsOf = owners.map(({ projectId }) => projectId);
  const db = drizzle(database);
  const [ended, there] = await db.batch([
    db
      .select({
        id: deployments.id,
        status: deployments.status,
        finishedAt: deployments.finishedAt,
        retentionDays: accounts.logRetentionDays,
      })
      .from(deployments)
      // A left join, so that a deployment without an account is found too.
      .leftJoin(accounts, eq(accounts.id, deployments.accountId))
      .where(isOneOf(deployments.id, deploymentIds)),
    db.select({ id: projects.id }).from(projects).where(isOneOf(projects.id, projectsOf)),
  ]);
  const found = new Map(ended.map((row) => [row.id, row]));
  const projectIds = new Set(there.map(({ id }) => id));
  return owners.map(({ projectId, deploymentId }) => {
    const row = found.get(deploymentId);
    if (row === undefined) return { kind: projectIds.has(projectId) ? "no_deployment" : "no_project" };
    if (row.status === "building" || row.finishedAt === null) return { kind: "running" };
    const retentionDays = row.retentionDays ?? DEFAULT_LOG_RETENTION_DAYS;
    return { kind: "ended", finishedAt: row.finishedAt, retentionDays };
  });
}

/**
 * Projects whose account removes old deployments, and that may have more of them than always stay, sorted by id. Reads a
 * few rows of each project by index.
 * @param after the last id of the previous page; empty: from the start
 */
export async function findProjectsToThin(
  database: D1Database,
  after: ProjectId | "",
  limit: number,
): Promise<{ projectId: ProjectId; retentionDays: number }[]> {
  const days = sql<number>`${accounts.deploymentRetentionDays}`;
  const hasMany = sql`exists (select 1 from ${deployments} where ${deployments.projectId} = ${projects.id} and ${deployments.version} > ${KEPT_DEPLOYMENTS})`;
  const ofProject = and(eq(accounts.id, projects.accountId), isNotNull(days));
  return await drizzle(database)
    .select({ projectId: projects.id, retentionDays: days })
    .from(projects)
    .innerJoin(accounts, ofProject)
    .where(and(sql`${projects.id} > ${after}`, hasMany))
    .orderBy(projects.id)
    .limit(limit);
}
