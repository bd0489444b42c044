import { AccountRows } from "#worker/db/account-rows.ts";
import { deleteOldDeployments } from "#worker/db/deployments/deployment-retention.ts";
import { DatabaseSession } from "#worker/db/database-session.ts";
import { LogStore } from "#worker/logs/log-store.ts";
import type { LaneContext } from "#worker/objects/project-lane/lane-context.ts";

/**
 * Deletes the records and logs of deployments that ended before a time, a few hundred at once. What the lane has stays:
 * the live deployment and the rollback targets, with the deployments that built their code, and records that D1 may not
 * have. The lane stores nothing of the others. If the object dies before the logs are deleted, the sweep deletes the
 * logs without a record.
 *
 * @returns whether all were deleted; false: call it again
 */
export async function removeOldDeployments(
  { env, store }: LaneContext,
  endedBefore: number,
): Promise<boolean> {
  const owner = store.owner();
  const lane = store.load();
  if (owner === null || lane.deletedAt !== null) return true;
  const { database } = new DatabaseSession(env.DB, "first-primary");
  const rows = new AccountRows(database, owner.accountId);
  const kept = lane.deployments.flatMap(({ id, rollbackOf }) =>
    rollbackOf === null ? [id] : [id, rollbackOf],
  );
  const { deleted, isAll } = await deleteOldDeployments(rows, owner.projectId, { endedBefore, kept });
  await new LogStore(env.LOGS).deleteWhole(deleted.map((deploymentId) => ({ ...owner, deploymentId })));
  return isAll;
}
