import { AccountRows } from "#worker/db/account-rows.ts";
import { restDeletion } from "#worker/db/projects/delete-project.ts";
import { DatabaseSession } from "#worker/db/database-session.ts";
import type { LaneContext } from "#worker/objects/project-lane/lane-context.ts";

/** The most batches of one run. The alarm starts the next one a second later. D1 allows 50 statements per run on the free plan. */
const MAX_BATCHES = 6;

/** Deletes the remaining rows of a deleted project, in small batches that can be repeated. */
export async function removeRest({ env, storage, store, outbox }: LaneContext): Promise<void> {
  const owner = store.owner();
  if (owner === null) return;
  const { database } = new DatabaseSession(env.DB, "first-primary");
  const rows = new AccountRows(database, owner.accountId);
  for (let batch = 0; batch < MAX_BATCHES && outbox.projectRemoval() === "rest"; batch += 1) {
    const changed = await rows.runTogether(restDeletion(rows, owner.projectId));
    // No change at all: the database was restored to a state with the project, which must stay.
    const isDone = changed.at(-1) === 1 || changed.every((count) => count === 0);
    if (isDone) storage.transactionSync(() => outbox.noteProjectRecordsGone(true));
  }
}
