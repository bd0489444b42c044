import type { DeploymentId } from "#contract/ids.ts";
import { findDeployment, type Lane } from "#domain/lane/lane.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { type DeploymentRecord, endLostDeployments } from "#worker/db/deployments/deployment-records.ts";
import { findRecords } from "#worker/db/deployments/find-records.ts";
import { DatabaseSession } from "#worker/db/database-session.ts";
import type { LaneContext } from "#worker/objects/project-lane/lane-context.ts";

/**
 * Compares D1 with the lane, which is right, and has written again what differs. Of deployments that the lane has let
 * go of, it knows only that they are neither `building` nor `live`, and which of them were deleted lately; the rest is
 * D1's own. It writes nothing of the lane's records itself: it marks them, and the outbox does the rest with its own
 * retries. So it can be cut off anywhere, and be done again.
 *
 * What is decided meanwhile is safe: a record that changes while D1 is being read is due to be written anyway, and a
 * row of D1's own is changed only if it is still as it was read.
 */
export async function repairRecords({ env, storage, store, outbox, now }: LaneContext): Promise<void> {
  const owner = store.owner();
  if (owner === null) return;
  const { database } = new DatabaseSession(env.DB, "first-primary");
  const rows = new AccountRows(database, owner.accountId);
  // What D1 has of a deleted project is removed already, or was brought back by whoever set D1 back (`LaneTurns.takeOver`).
  if (store.load().deletedAt !== null) return;
  const written = store.written();
  const ids = [...store.load().deployments.map(({ id }) => id), ...outbox.deleted()];
  const found = await findRecords(rows, owner.projectId, ids);
  // Its settings are D1's own, and without them its deployments are of no use.
  if (found === null) return;
  const deleted = new Set(outbox.deleted());
  const strays = found.deployments.filter(({ id }) => !isHeld(store.load(), id));
  const lost = strays.filter((row) => !deleted.has(row.id) && !isOfAnother(store.load(), row));
  // First, because no other row can become `live` while one of these is.
  await endLostDeployments(rows, lost, now());
  storage.transactionSync(() => {
    for (const { id } of strays) if (!lost.some((row) => row.id === id)) outbox.addRemoval(id, now());
    const newest = written.at(-1);
    for (const record of written) {
      const row = found.deployments.find(({ id }) => id === record.id);
      const isWhole = row !== undefined && isSame(row, record);
      const isDated = record !== newest || (found.lastDeployAt ?? 0) >= record.createdAt;
      if (!isWhole || !isDated) store.writeAgain(record, row?.revision ?? 0);
    }
  });
}

/** Whether a deployment is one that the lane has, and shows. */
function isHeld(lane: Lane, id: DeploymentId): boolean {
  return findDeployment(lane, id)?.deleted === false;
}

/** Whether the row has a version that the lane has given to another deployment, which it keeps out of D1. */
function isOfAnother({ deployments }: Lane, { id, version }: DeploymentRecord): boolean {
  return deployments.some((one) => one.version === version && (one.id !== id || one.deleted));
}

/** Whether two records say the same, in whatever order. */
function isSame(one: DeploymentRecord, other: DeploymentRecord): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, of]) => of !== undefined);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, of]) => [key, sorted(of)]);
}
