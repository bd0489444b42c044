import { and, eq, sql, getTableColumns } from "drizzle-orm";

import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deployments, projects } from "#worker/db/schema.ts";
import { isOneOf } from "#worker/db/json-lists.ts";

/** A deployment's row in D1. Times are Unix milliseconds. */
export type DeploymentRecord = Omit<typeof deployments.$inferSelect, "accountId">;

/** The columns of a DeploymentRecord. */
export const { accountId: _owner, ...deploymentColumns } = getTableColumns(deployments);

/**
 * Writes a lane's records in one transaction. Safe to repeat and to do late, because a row replaces only a row with a
 * lower `revision`.
 *
 * @param records of one project, at most one of them `live`
 */
export async function writeDeployments(
  rows: AccountRows,
  projectId: ProjectId,
  records: readonly DeploymentRecord[],
): Promise<void> {
  // The record that is no longer `live` comes first: the unique index allows one `live` row after each row written.
  const leavingFirst = records.toSorted((a, b) => Number(a.status === "live") - Number(b.status === "live"));
  const newest = Math.max(0, ...records.map((record) => record.createdAt));
  await rows.runTogether([
    ...rows.upsert(deployments, leavingFirst, deployments.revision),
    rows.update(
      projects,
      { lastDeployAt: newest },
      and(eq(projects.id, projectId), sql`coalesce(${projects.lastDeployAt}, 0) < ${newest}`),
    ),
  ]);
}

/** Deletes rows of deployments. Missing rows are ignored. */
export async function deleteDeploymentRecords(
  rows: AccountRows,
  ids: readonly DeploymentId[],
): Promise<void> {
  if (ids.length > 0) await rows.run(rows.delete(deployments, isOneOf(deployments.id, ids)));
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
 * Reads a project's deployments with the given ids, and those that are `building` or `live`. Three statements, which
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
  const named = isOneOf(deployments.id, ids);
  const ofProject = eq(deployments.projectId, projectId);
  // The same conditions as in the two partial indexes, so that SQLite uses them.
  const building = and(ofProject, sql`${deployments.status} = 'building'`);
  const live = and(ofProject, sql`${deployments.status} = 'live'`);
  const found = new Map<DeploymentId, DeploymentRecord>();
  for (const where of [named, building, live])
    for (const record of await rows.select(deploymentColumns, deployments, {
      where,
      limit: MAX_UNENDED + ids.length,
    }))
      if (record.projectId === projectId) found.set(record.id, record);
  return { lastDeployAt: project.lastDeployAt, deployments: [...found.values()] };
}
