import { and, eq, sql } from "drizzle-orm";

import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deployments, projects } from "#worker/db/schema.ts";

/** A deployment as D1 keeps it, whole. Times are Unix milliseconds. */
export type DeploymentRecord = Omit<typeof deployments.$inferSelect, "accountId">;

/**
 * Writes what a lane holds: all of it or, if one row fails, nothing. Safe to repeat and to do late, because a row only
 * ever replaces one of a lower `revision`.
 *
 * @param records of one project, with no more than one that is `live`
 */
export async function writeDeployments(
  rows: AccountRows,
  projectId: ProjectId,
  records: readonly DeploymentRecord[],
): Promise<void> {
  // The one that leaves `live` goes before the one that takes its place: the index allows one, at every row.
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

/** Removes rows of deployments; nothing happens where there are none. */
export async function deleteDeploymentRecords(
  rows: AccountRows,
  ids: readonly DeploymentId[],
): Promise<void> {
  const given = sql`(select value from json_each(${JSON.stringify(ids)}))`;
  if (ids.length > 0) await rows.run(rows.delete(deployments, sql`${deployments.id} in ${given}`));
}

/**
 * Ends rows that say `building` or `live` of deployments that their lane has let go of, so neither can be true. One
 * that was live is superseded; of any other, how it ended is lost. Safe to repeat: only a row that is still as it was
 * read is changed.
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
  const failure = sql`json_object('code', 'internal', 'message', 'how it ended was lost from the database', 'stage', coalesce(${deployments.stage}, 'queued'))`;
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
