import { checkServing } from "#domain/lane/check-serving.ts";
import { activeOf, type Lane, liveOf } from "#domain/lane/lane.ts";
import { unneededBuilds } from "#domain/lane/stored-builds.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { projectDeletion } from "#worker/db/projects/delete-project.ts";
import { storedChangeWrites } from "#worker/db/changes/stored-change.ts";
import { projectStateWrites } from "#worker/db/projects/write-project-state.ts";
import { deploymentDeletion, deploymentWrites } from "#worker/db/deployments/deployment-records.ts";
import { DatabaseSession } from "#worker/db/database-session.ts";
import { announce } from "#worker/objects/event-feed/announce.ts";
import { merged } from "#worker/objects/shared/merged.ts";
import { RetryTracker } from "#worker/objects/shared/retry-tracker.ts";
import { singleFlight } from "#worker/objects/shared/single-flight.ts";
import { lastEnded } from "#worker/objects/project-lane/deployment-record.ts";
import type { LaneContext } from "#worker/objects/project-lane/lane-context.ts";
import { removeBuilds } from "#worker/objects/project-lane/remove-builds.ts";
import { removeRest } from "#worker/objects/project-lane/remove-rest.ts";
import { repairRecords } from "#worker/objects/project-lane/repair-records.ts";
import { storeLogs } from "#worker/objects/project-lane/store-logs.ts";
import { sendPendingMessages } from "#worker/objects/project-lane/send-pending-messages.ts";

const WRITE = "write records";
const REPAIR = "repair records";

/** The progress of a run is written to D1 after this time, together with what changes until then. */
const PROGRESS_MS = 250;

/** When a decision is written to D1. `merged`: soon, together with the next ones. */
export type WriteTime = "now" | "merged";

/**
 * Carries out what the lane has saved: writes to D1 and R2, and messages to the agent. Each job reads the pending
 * effects from storage, carries them out and records that, so it can be interrupted anywhere and repeated. A failed job
 * is logged and counted, and the alarm repeats it.
 */
export class LaneEffects {
  readonly #parts: LaneContext;
  /** Writes changed deployments and events to D1, and deletes removed deployments. */
  readonly writeRecords: () => Promise<void>;
  /** As `writeRecords`, up to 250 ms later. If the object dies before, its alarm writes. */
  readonly #writeMerged: () => Promise<void>;
  /** Marks the records that differ in D1, so that `writeRecords` writes them again. */
  readonly repairRecords: () => Promise<void>;
  /** Tells the account's EventFeed that D1 has new events. */
  readonly announce: () => Promise<void>;
  readonly sendPending: () => Promise<void>;
  /** Deletes the rows that are left of a deleted project. */
  readonly removeRest: () => Promise<void>;
  readonly storeLogs: () => Promise<void>;
  /** Removes builds from R2 that no deployment needs any more. */
  readonly removeBuilds: () => Promise<void>;
  #bookmark: string | null = null;
  readonly retries: RetryTracker;

  constructor(parts: LaneContext) {
    this.#parts = parts;
    this.retries = new RetryTracker("lane", () => ({ project_id: parts.store.owner()?.projectId }));
    this.writeRecords = singleFlight(() => this.retries.run(WRITE, () => this.#writeRecords()));
    this.#writeMerged = merged(() => this.writeRecords(), PROGRESS_MS);
    this.repairRecords = singleFlight(() => this.retries.run(REPAIR, () => repairRecords(parts)));
    this.announce = singleFlight(() => this.retries.run("announce events", () => this.#announce()));
    this.sendPending = singleFlight(() =>
      this.retries.run("send to agent", () => sendPendingMessages(parts)),
    );
    this.removeRest = singleFlight(() => this.retries.run("delete records", () => removeRest(parts)));
    this.removeBuilds = singleFlight(() => this.retries.run("remove builds", () => removeBuilds(parts)));
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
  async all(time: WriteTime): Promise<void> {
    const isMerged = time === "merged" && this.isPending();
    const written = isMerged ? this.#writeMerged() : this.writeRecords();
    // Nothing waits for it: it can take as long as the targets of events do.
    const announced = written.then(() => this.announce());
    // The parts of a log do not wait for progress, because they would grow in the meantime.
    await Promise.all([isMerged ? null : written, this.sendPending()]);
    await this.removeRest();
    await this.storeLogs();
    if (unneededBuilds(this.#parts.store.load()).length > 0) await this.removeBuilds();
    await announced;
  }

  /** Whether work is pending that does not wait for a time. */
  isPending(): boolean {
    const { store, outbox, changes } = this.#parts;
    return (
      !changes.isEmpty() ||
      this.retries.hasFailed(REPAIR) ||
      outbox.projectRemoval() !== null ||
      this.#parts.permitted.size > 0 ||
      store.unwritten().length > 0 ||
      unneededBuilds(store.load()).length > 0 ||
      outbox.unwrittenServings().length > 0 ||
      outbox.unwrittenDetected(activeOf(store.load()) === null) !== null ||
      outbox.corrections().some((found) => checkServing(store.load(), found).kind !== "later") ||
      outbox.removals(false).length > 0 ||
      outbox.removals(true).length > 0
    );
  }

  /**
   * Writes changed deployments, the project's state and events to D1, and deletes the rows of removed deployments or of
   * the whole project. One round trip.
   */
  async #writeRecords(): Promise<void> {
    const { store, outbox, changes, storage, env } = this.#parts;
    const owner = store.owner();
    if (owner === null) return;
    const session = new DatabaseSession(env.DB, "first-primary");
    const rows = new AccountRows(session.database, owner.accountId);
    const isRemoval = outbox.projectRemoval() === "records";
    const removals = outbox.removals(false);
    const records = store.unwritten();
    const servings = outbox.unwrittenServings();
    const pending = changes.unwritten();
    const lastDeployAt = lastEnded(records)?.createdAt ?? null;
    const isEnd = lastDeployAt !== null || servings.length > 0 || activeOf(store.load()) === null;
    const detected = outbox.unwrittenDetected(isEnd);
    const readRepository = isEnd ? outbox.unwrittenRepositoryRead() : null;
    // In one transaction, so that a reader of an event finds the record as the event describes it. Deletions first: an
    // outdated row may violate a unique index together with a new one. The project's row after the records: they decide
    // which server's report is accepted.
    const removal = isRemoval ? projectDeletion(rows, owner.projectId) : [];
    const writes = [
      ...removal,
      ...deploymentDeletion(rows, removals),
      ...deploymentWrites(rows, records),
      ...projectStateWrites(rows, owner.projectId, {
        ...{ lastDeployAt, detected, servings, readRepository },
        hasSeveral: hasSeveralServers(store.load()),
      }),
      ...storedChangeWrites(rows, pending.changes),
    ];
    if (writes.length > 0) {
      const changed = await rows.runTogether(writes);
      storage.transactionSync(() => {
        if (isRemoval) outbox.noteProjectRecordsGone(changed[removal.length - 1] === 1);
        removals.forEach((id) => outbox.noteRecordGone(id));
        store.noteWritten(records);
        changes.noteWritten(pending);
        outbox.noteServingsWritten(servings);
        if (detected !== null) outbox.noteDetectedWritten(detected);
        if (readRepository !== null) outbox.noteRepositoryReadWritten(readRepository);
      });
    }
    this.#bookmark = session.bookmark() ?? this.#bookmark;
  }

  async #announce(): Promise<void> {
    const { store, changes, env } = this.#parts;
    const owner = store.owner();
    if (owner !== null) await changes.announce(async () => await announce(env.EVENT_FEED, owner.accountId));
  }
}

/** Whether the project is live or being deployed on several servers. */
function hasSeveralServers(lane: Lane): boolean {
  return [activeOf(lane), liveOf(lane)].some((one) => one?.state.plan?.fleet !== undefined);
}
