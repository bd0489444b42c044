import { and, eq, getTableColumns, sql } from "drizzle-orm";

import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { isOneOf } from "#worker/db/statements.ts";
import { deployments, projects } from "#worker/db/schema.ts";

/** A deployment's row in D1. Times are Unix milliseconds. */
export type DeploymentRecord = Omit<typeof deployments.$inferSelect, "accountId">;

/** The columns of a DeploymentRecord. */
export const { accountId: _owner, ...deploymentColumns } = getTableColumns(deployments);

/**
 * The writes of a lane's records, for one transaction. Safe to repeat and to do late, because a row replaces only a row
 * with a lower `revision`. A record without runs keeps the runs of the row: the lane drops them some time after the end.
 *
 * @param records of one project, at most one of them `live`
 */
export function deploymentWrites(rows: AccountRows, records: readonly DeploymentRecord[]): Write[] {
  // The record that is no longer `live` comes first: the unique index allows one `live` row after each row written.
  const leavingFirst = records.toSorted((a, b) => Number(a.status === "live") - Number(b.status === "live"));
  const { revision, runs } = deployments;
  return rows.upsert(deployments, leavingFirst, revision, { runs });
}

/** Deletes rows of deployments. Missing rows are ignored. */
export function deploymentDeletion(rows: AccountRows, ids: readonly DeploymentId[]): Write[] {
  return ids.length === 0 ? [] : [rows.delete(deployments, isOneOf(deployments.id, ids))];
}

/**
 * Ends rows that are `building` or `live` although their lane has dropped the deployment. A deployment that was live
 * becomes `superseded`; any other becomes `failed`, because its result is lost. Safe to repeat: changes only rows that
 * are still as they were read.
 *
 * @param now Unix milliseconds
 */
export async function endLostDeployments(
  rows: AccountRows,
  lost: readonly DeploymentRecord[],
  now: number,
): Promise<void> {
  const asRead = lost
    .filter(({ status }) => status === "building" || status === "live")
    .map(({ id, revision, status }) => [id, revision, status]);
  const wasLive = sql`${deployments.release} is not null`;
  const failure = sql`json_object('code', 'internal', 'message', 'its result was lost from the database', 'stage', coalesce(${deployments.stage}, 'queued'))`;
  const changes = {
    status: sql`case when ${wasLive} then 'superseded' else 'failed' end`,
    failure: sql`case when ${wasLive} then null else ${failure} end`,
    stage: null,
    waitsForServer: false,
    deadlineAt: null,
    finishedAt: sql`coalesce(${deployments.finishedAt}, ${now})`,
  };
  const isAsRead = and(
    sql`${deployments.id} = given.value ->> 0`,
    sql`${deployments.revision} = given.value ->> 1`,
    sql`${deployments.status} = given.value ->> 2`,
  );
  await rows.runTogether(rows.updateEach(deployments, asRead, changes, isAsRead));
}

/** More unended rows than a project can have. If there are more, the next repair reads the rest. */
const MAX_UNENDED = 300;

type ProjectRecords = {
  /** When the newest deployment was created, in Unix milliseconds, according to the project's row. */
  readonly lastDeployAt: number | null;
  readonly deployments: readonly DeploymentRecord[];
};

/**
 * Reads a project's deployments with the given ids, and its `building` and `live` deployments. Three statements, which
 * read only these rows. @returns null if D1 does not have the project
 */
export async function findRecords(
  rows: AccountRows,
  projectId: ProjectId,
  ids: readonly DeploymentId[],
): Promise<ProjectRecords | null> {
  const [project] = await rows.select({ lastDeployAt: projects.lastDeployAt }, projects, {
    where: eq(projects.id, projectId),
  });
  if (project === undefined) return null;
  const ofProject = eq(deployments.projectId, projectId);
  // The same conditions as in the two partial indexes, so that SQLite uses them.
  const building = and(ofProject, sql`${deployments.status} = 'building'`);
  const live = and(ofProject, sql`${deployments.status} = 'live'`);
  const named = sql`select value from json_each(${JSON.stringify(ids)})`;
  const found = await rows.selectFound(deploymentColumns, deployments, named, { where: ofProject });
  for (const where of [building, live])
    found.push(...(await rows.select(deploymentColumns, deployments, { where, limit: MAX_UNENDED })));
  const byId = new Map(found.map((record) => [record.id, record]));
  return { lastDeployAt: project.lastDeployAt, deployments: [...byId.values()] };
}
