import { and, eq, gte, isNotNull, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";

import { DEFAULT_LOG_RETENTION_DAYS } from "#contract/endpoints/accounts/schemas.ts";
import { type AccountId, DeploymentId, type ProjectId } from "#contract/ids.ts";
import type { LogRecord } from "#domain/log-fate.ts";
import { KEPT_DEPLOYMENTS } from "#worker/db/deployments/deployment-retention.ts";
import { events } from "#worker/db/event-tables.ts";
import { locationOfServer } from "#worker/db/projects/find-project.ts";
import { accounts, deployments, projects, servers } from "#worker/db/schema.ts";
import { fieldOf, isOneOf, qb } from "#worker/db/statements.ts";
import type { ServerLocation } from "#worker/objects/location.ts";

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

type FoundProject = {
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly serverLocation: ServerLocation;
};

/**
 * Projects of all accounts, sorted by id.
 * @param after the last id of the previous page; empty: from the start
 */
export async function findProjectsAfter(
  database: D1Database,
  after: ProjectId | "",
  limit: number,
): Promise<FoundProject[]> {
  const ofProject = and(eq(servers.id, projects.serverId), eq(servers.accountId, projects.accountId));
  const location = qb
    .select({ location: fieldOf(locationOfServer) })
    .from(servers)
    .where(ofProject);
  const fields = {
    accountId: projects.accountId,
    projectId: projects.id,
    serverLocation: sql<ServerLocation>`${location}`,
  };
  return await drizzle(database)
    .select(fields)
    .from(projects)
    .where(sql`${projects.id} > ${after}`)
    .orderBy(projects.id)
    .limit(limit);
}

/**
 * The accounts with events since a time, sorted by id. Reads only these events.
 * @param since Unix milliseconds
 * @param after the last id of the previous page; empty: from the start
 */
export async function findAccountsWithEvents(
  database: D1Database,
  since: number,
  after: AccountId | "",
  limit: number,
): Promise<AccountId[]> {
  // Without the plus, SQLite would read all events in the order of another index instead of the few since the time.
  const account = sql`+${events.accountId}`;
  const where = and(gte(events.createdAt, since), sql`${account} > ${after}`);
  const rows = await drizzle(database)
    .select({ accountId: events.accountId })
    .from(events)
    .where(where)
    .groupBy(account)
    .orderBy(account)
    .limit(limit);
  return rows.map(({ accountId }) => accountId);
}
