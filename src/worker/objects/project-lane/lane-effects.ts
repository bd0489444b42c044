import { checkServing } from "#domain/lane/check-serving.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { deleteProjectRecords } from "#worker/db/projects/delete-project.ts";
import { setDetected } from "#worker/db/projects/set-detected.ts";
import { deleteDeploymentRecords, writeDeployments } from "#worker/db/deployments/deployment-records.ts";
import { setServings } from "#worker/db/servers/server-presence.ts";
import { DatabaseSession } from "#worker/db/database-session.ts";
import { RetryTracker } from "#worker/objects/shared/retry-tracker.ts";
import { singleFlight } from "#worker/objects/shared/single-flight.ts";
import type { LaneContext } from "#worker/objects/project-lane/lane-context.ts";
import { repairRecords } from "#worker/objects/project-lane/repair-records.ts";
import { storeLogs } from "#worker/objects/project-lane/store-logs.ts";
import { sendPendingMessages } from "#worker/objects/project-lane/send-pending-messages.ts";
import type { Effect } from "#domain/lane/decision.ts";

const WRITE = "write records";
const REPAIR = "repair records";

/**
 * Carries out what the lane has saved: writes to D1 and R2, and messages to the agent. Each job reads what is pending
 * from storage, does it and records it, so it can be interrupted anywhere and repeated. A failed job is logged and
 * counted, and the alarm repeats it.
 */
export class LaneEffects {
  readonly #parts: LaneContext;
  /** Writes changed deployments to D1, and deletes removed ones. */
  readonly writeRecords: () => Promise<void>;
  /** Marks the records that differ in D1, so that `writeRecords` writes them again. */
  readonly repairRecords: () => Promise<void>;
  readonly sendPending: () => Promise<void>;
  readonly storeLogs: () => Promise<void>;
  #bookmark: string | null = null;
  readonly retries: RetryTracker;

  constructor(parts: LaneContext) {
    this.#parts = parts;
    this.retries = new RetryTracker("lane", () => ({ project_id: parts.store.owner()?.projectId }));
    this.writeRecords = singleFlight(() => this.retries.run(WRITE, () => this.#writeRecords()));
    this.repairRecords = singleFlight(() => this.retries.run(REPAIR, () => repairRecords(parts)));
    this.sendPending = singleFlight(() =>
      this.retries.run("send to agent", () => sendPendingMessages(parts)),
    );
    this.storeLogs = singleFlight(() => this.retries.run("store logs", () => storeLogs(parts)));
  }

  /** The D1 bookmark of the last write; null before the first write of this instance. */
  get bookmark(): string | null {
    return this.#bookmark;
  }

  /** Whether D1 may differ from the lane: the last write or the last repair failed. */
  isRepairDue(): boolean {
    return this.retries.hasFailed(WRITE) || this.retries.hasFailed(REPAIR);
  }

  /** Whether the last write of records failed. */
  isWriteFailing(): boolean {
    return this.retries.hasFailed(WRITE);
  }

  /** Runs all pending jobs. */
  async all(): Promise<void> {
    await Promise.all([this.writeRecords(), this.sendPending()]);
    await this.storeLogs();
  }

  /** Whether work is pending that does not wait for a time. */
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

  /** Writes changed deployments to D1, and deletes the rows of removed deployments or of the whole project. */
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
    // Deletions first: an outdated row may violate a unique index together with a new one.
    const removals = outbox.removals(false);
    await deleteDeploymentRecords(rows, removals);
    storage.transactionSync(() => removals.forEach((id) => outbox.noteRecordGone(id)));
    const records = store.unwritten();
    if (records.length > 0) {
      await writeDeployments(rows, owner.projectId, records);
      storage.transactionSync(() => store.noteWritten(records));
    }
    // After the records: they decide which server's report is accepted.
    const serving = outbox.unwrittenServing();
    if (serving !== null) {
      const { serverId, report } = serving;
      await setServings(rows, serverId, [{ projectId: owner.projectId, report }]);
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

type Places = Pick<LaneContext, "store" | "outbox" | "logs">;

/** Saves an effect of a decision, in the decision's transaction. @param now Unix milliseconds */
export function saveEffect({ store, outbox, logs }: Places, effect: Effect, now: number): void {
  switch (effect.type) {
    case "log": {
      const { stage, message } = effect;
      const time = new Date(now).toISOString();
      return logs.appendOwn(effect.deploymentId, { time, stream: "system", stage, message });
    }
    case "output":
      return logs.append(effect.deploymentId, effect.lines, now);
    case "serving":
      return outbox.noteServing(effect.serverId, effect.report, now);
    case "ended":
      return logs.end(effect.deploymentId);
    case "removed":
      return outbox.addRemoval(effect.deploymentId, now);
    case "detected":
      return outbox.noteDetected(effect.preset);
    case "project_removed":
      store.forgetAccepted();
      return outbox.addProjectRemoval();
  }
}
