import type { DeploymentId } from "#contract/ids.ts";
import { findDeployment, type Lane } from "#domain/lane/lane.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import {
  type DeploymentRecord,
  endLostDeployments,
  findRecords,
} from "#worker/db/deployments/deployment-records.ts";
import { projectStateWrites } from "#worker/db/projects/write-project-state.ts";
import { DatabaseSession } from "#worker/db/database-session.ts";
import { lastEnded } from "#worker/objects/project-lane/deployment-record.ts";
import type { LaneContext } from "#worker/objects/project-lane/lane-context.ts";

/**
 * Compares D1 with the lane, which is the source of truth, and marks records that differ. About deployments that the
 * lane has dropped it knows only that they are neither `building` nor `live`, and which were deleted recently; their
 * other fields are not compared. The outbox writes marked records with its own retries, so a repair can be interrupted
 * and repeated at any time.
 *
 * Decisions during a repair are safe: a record that changes while D1 is read is pending anyway, and other rows of D1
 * are changed only if they are still as they were read.
 */
export async function repairRecords({ env, storage, store, outbox, now }: LaneContext): Promise<void> {
  const owner = store.owner();
  if (owner === null) return;
  const { database } = new DatabaseSession(env.DB, "first-primary");
  const rows = new AccountRows(database, owner.accountId);
  // Rows of a deleted project are already queued for removal, or came back with a restore of D1 (`LaneTurns.takeOver`).
  if (store.load().deletedAt !== null) return;
  const written = store.written();
  const ids = [...store.load().deployments.map(({ id }) => id), ...outbox.deleted()];
  const found = await findRecords(rows, owner.projectId, ids);
  // Only D1 has the project's settings. Without them its deployments are useless.
  if (found === null) return;
  const deleted = new Set(outbox.deleted());
  const strays = found.deployments.filter(({ id }) => !isHeld(store.load(), id));
  const lost = strays.filter((row) => !deleted.has(row.id) && !isOfAnother(store.load(), row));
  // Before they end, as `lastDeployAt` in find-project.ts.
  const lastDeployAt = Math.max(0, ...lost.map(({ createdAt }) => createdAt));
  if (lost.length > 0)
    await rows.runTogether(
      projectStateWrites(rows, owner.projectId, {
        lastDeployAt,
        detected: null,
        servings: [],
        hasSeveral: false,
        readRepository: null,
      }),
    );
  // First, because a project can have only one `live` row.
  await endLostDeployments(rows, lost, now());
  storage.transactionSync(() => {
    for (const { id } of strays) if (!lost.some((row) => row.id === id)) outbox.addRemoval(id, now());
    const newest = lastEnded(written);
    for (const record of written) {
      const row = found.deployments.find(({ id }) => id === record.id);
      const isEqual = row !== undefined && isSame(row, record);
      const isDated = record !== newest || (found.lastDeployAt ?? 0) >= record.createdAt;
      if (!isEqual || !isDated) store.writeAgain(record, row?.revision ?? 0);
    }
  });
}

/** Whether the lane has the deployment and it is not deleted. */
function isHeld(lane: Lane, id: DeploymentId): boolean {
  return findDeployment(lane, id)?.deleted === false;
}

/** Whether the row's version belongs to another deployment of the lane, or to a deleted one. */
function isOfAnother({ deployments }: Lane, { id, version }: DeploymentRecord): boolean {
  return deployments.some((one) => one.version === version && (one.id !== id || one.deleted));
}

/** Whether a row has what the lane would write, regardless of the order of the keys. */
function isSame(row: DeploymentRecord, record: DeploymentRecord): boolean {
  const written = { ...record, runs: record.runs ?? row.runs };
  return JSON.stringify(sorted(row)) === JSON.stringify(sorted(written));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, of]) => of !== undefined);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, of]) => [key, sorted(of)]);
}
