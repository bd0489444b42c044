import { and, sql, getTableColumns } from "drizzle-orm";

import type { DeploymentId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { deployments } from "#worker/db/schema.ts";
import { isOneOf } from "#worker/db/json-lists.ts";

/** A deployment's row in D1. Times are Unix milliseconds. */
export type DeploymentRecord = Omit<typeof deployments.$inferSelect, "accountId">;

/** The columns of a DeploymentRecord. */
export const { accountId: _owner, ...deploymentColumns } = getTableColumns(deployments);

/**
 * The writes of a lane's records, for one transaction. Safe to repeat and to do late, because a row replaces only a row
 * with a lower `revision`.
 *
 * @param records of one project, at most one of them `live`
 */
export function deploymentWrites(rows: AccountRows, records: readonly DeploymentRecord[]): Write[] {
  // The record that is no longer `live` comes first: the unique index allows one `live` row after each row written.
  const leavingFirst = records.toSorted((a, b) => Number(a.status === "live") - Number(b.status === "live"));
  return rows.upsert(deployments, leavingFirst, deployments.revision);
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
