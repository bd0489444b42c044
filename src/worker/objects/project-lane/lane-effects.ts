import { checkServing } from "#domain/lane/check-serving.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { deleteProjectRecords } from "#worker/db/projects/delete-project.ts";
import { deleteDeploymentRecords, writeDeployments } from "#worker/db/deployments/deployment-records.ts";
import { setServing } from "#worker/db/servers/server-presence.ts";
import { DatabaseSession } from "#worker/db/database-session.ts";
import { setDetected } from "#worker/db/projects/set-detected.ts";
import { RetryTracker } from "#worker/objects/shared/retry-tracker.ts";
import { singleFlight } from "#worker/objects/shared/single-flight.ts";
import type { LaneContext } from "#worker/objects/project-lane/lane-context.ts";
import { repairRecords } from "#worker/objects/project-lane/repair-records.ts";
import { storeLogs } from "#worker/objects/project-lane/store-logs.ts";
import { sendPendingMessages } from "#worker/objects/project-lane/send-pending-messages.ts";

const WRITE = "write records";
const REPAIR = "repair records";

/**
 * Carries the lane's saved state to where it must be known: D1, the agent, R2. Each job reads what is left to do from
 * storage, does it, and notes it; so it can be cut off anywhere and done again. A job that fails is logged and counted,
 * and left for the alarm.
 */
export class LaneEffects {
  readonly #parts: LaneContext;
  /** Writes changed deployments to D1, and removes deleted ones. */
  readonly writeRecords: () => Promise<void>;
  /** Has written again what D1 does not have as the lane does. */
  readonly repairRecords: () => Promise<void>;
  readonly sendPending: () => Promise<void>;
  readonly storeLogs: () => Promise<void>;
  #bookmark: string | null = null;
  readonly retries: RetryTracker;

  constructor(parts: LaneContext) {
    this.#parts = parts;
    this.retries = new RetryTracker("lane", () => ({ project_id: parts.store.owner()?.projectId }));
    this.writeRecords = singleFlight(() => this.retries.make(WRITE, () => this.#writeRecords()));
    this.repairRecords = singleFlight(() => this.retries.make(REPAIR, () => repairRecords(parts)));
    this.sendPending = singleFlight(() =>
      this.retries.make("send to agent", () => sendPendingMessages(parts)),
    );
    this.storeLogs = singleFlight(() => this.retries.make("store logs", () => storeLogs(parts)));
  }

  /** From where on D1 has all that was written last; null before the first write of this instance. */
  get bookmark(): string | null {
    return this.#bookmark;
  }

  /** Whether D1 may have something else than the lane believes: it refused what it was told, or could not be asked. */
  isRepairDue(): boolean {
    return this.retries.hasFailed(WRITE) || this.retries.hasFailed(REPAIR);
  }

  /** Whether D1 refused the records when they were last written. */
  isWriteFailing(): boolean {
    return this.retries.hasFailed(WRITE);
  }

  /** Everything that is due now. */
  async all(): Promise<void> {
    await Promise.all([this.writeRecords(), this.sendPending()]);
    await this.storeLogs();
  }

  /** Whether something is left to do as soon as it can be done. */
  isPending(): boolean {
    const { store, outbox } = this.#parts;
    return (
      this.retries.hasFailed(REPAIR) ||
      outbox.projectRemoval() !== null ||
      store.unwritten().length > 0 ||
      outbox.unwrittenServing() !== null ||
      outbox.unwrittenDetected() !== null ||
      outbox.corrections().some((found) => checkServing(store.load(), found).kind !== "later") ||
      outbox.removals(false).length > 0 ||
      outbox.removals(true).length > 0
    );
  }

  /** D1 gets the deployments that changed, and loses those that were deleted, or the whole project. */
  async #writeRecords(): Promise<void> {
    const { store, outbox, storage, env } = this.#parts;
    const owner = store.owner();
    if (owner === null) return;
    const session = new DatabaseSession(env.DB, "first-primary");
    const rows = new AccountRows(session.database, owner.accountId);
    if (outbox.projectRemoval() === "records") {
      await deleteProjectRecords(rows, owner.projectId);
      storage.transactionSync(() => outbox.noteProjectRecordsGone());
    }
    // First, because a row that should not be there may stand in the way of one that should.
    const removals = outbox.removals(false);
    await deleteDeploymentRecords(rows, removals);
    storage.transactionSync(() => removals.forEach((id) => outbox.noteRecordGone(id)));
    const records = store.unwritten();
    if (records.length > 0) {
      await writeDeployments(rows, owner.projectId, records);
      storage.transactionSync(() => store.noteWritten(records));
    }
    // After the records: they say which server's word on it counts.
    const serving = outbox.unwrittenServing();
    if (serving !== null) {
      await setServing(rows, serving.serverId, owner.projectId, serving.report);
      storage.transactionSync(() => outbox.noteServingWritten(serving));
    }
    const found = outbox.unwrittenDetected();
    if (found !== null) {
      await setDetected(rows, owner.projectId, found);
      storage.transactionSync(() => outbox.noteDetectedWritten(found));
    }
    this.#bookmark = session.bookmark() ?? this.#bookmark;
  }
}
