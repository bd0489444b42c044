import { type ProblemCode, refuse, type Result, succeed } from "#contract/problems.ts";
import { keptUntil, refuseIfDeleted } from "#domain/lane/decide-delete-project.ts";
import { decideFreezes } from "#domain/lane/decide-freezes.ts";
import type { Decision } from "#domain/lane/decision.ts";
import { freezesDueAt } from "#domain/lane/holds.ts";
import { emptyLane, type Lane } from "#domain/lane/lane.ts";
import { takeOver } from "#domain/lane/take-over.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { DatabaseSession } from "#worker/db/database-session.ts";
import { findProjectFreezes } from "#worker/db/freezes/project-freezes.ts";
import { logFailure } from "#worker/log-failure.ts";
import { BuildLocks } from "#worker/objects/project-lane/build-locks.ts";
import { LaneEffects, type WriteTime } from "#worker/objects/project-lane/lane-effects.ts";
import { type LaneHistory, readHistory } from "#worker/objects/project-lane/lane-history.ts";
import { LaneOutbox } from "#worker/objects/project-lane/lane-outbox.ts";
import type { LaneContext } from "#worker/objects/project-lane/lane-context.ts";
import { type LaneOwner, LaneStore } from "#worker/objects/project-lane/lane-store.ts";
import { saveEffect } from "#worker/objects/project-lane/save-effect.ts";
import { LogBuffer } from "#worker/objects/project-lane/log-buffer.ts";
import { LogReaders } from "#worker/following/log/log-readers.ts";
import { nextWakeAt } from "#worker/objects/project-lane/next-wake.ts";
import { ChangeOutbox } from "#worker/objects/shared/change-outbox.ts";
import { createObjectIds } from "#worker/objects/shared/object-ids.ts";
import { ObjectAlarm } from "#worker/objects/shared/object-alarm.ts";

/**
 * How a lane changes: it is loaded, decided on and saved in one turn, without an await. The effects are carried out
 * afterwards, with an alarm set that repeats them if the object dies.
 */
export class LaneTurns {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly alarm: ObjectAlarm;
  readonly ids = createObjectIds();
  readonly builds = new BuildLocks();
  /** Works without storage too: a lane that has no tables has no lines to send. */
  readonly readers: LogReaders;
  /** null: the lane's storage is empty and has no tables. */
  #parts: OpenParts | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    this.#ctx = ctx;
    this.#env = env;
    this.alarm = new ObjectAlarm(ctx.storage);
    this.readers = new LogReaders({
      ctx,
      linesAfter: (...line) => this.#parts?.logs.linesAfter(...line) ?? { kind: "gone" },
      settle: async () => await this.#parts?.effects.writeRecords(),
    });
    if (LaneStore.isIn(ctx.storage.sql)) this.#parts = this.#openParts();
  }

  /**
   * Creates the tables if they do not exist, so use it only for a lane that has an owner or gets one now. Read it again
   * after an await: a lane that has ceased to exist in the meantime has other parts.
   */
  get parts(): OpenParts {
    return (this.#parts ??= this.#openParts());
  }

  /**
   * The lane's owner; null before the first start, and after the project was removed permanently. Check it before you
   * use `parts`: an agent can name any project, and each object with storage is billed.
   */
  owner(): LaneOwner | null {
    return this.#parts?.store.owner() ?? null;
  }

  /**
   * Call this before a decision: makes sure that the lane has the project's history. If the lane has no owner or was
   * deleted but D1 has the project, the database was restored, and the lane takes over D1's rows. Reads D1 only in
   * these cases. Refuses with `not_found` if D1 does not have the project either.
   */
  async takeOver(owner: LaneOwner): Promise<Result<null, "not_found" | "unavailable">> {
    if (this.#isTakenOver()) return succeed(null);
    const before = this.#parts?.store.load() ?? emptyLane;
    // During a deletion, D1 still has the project because its rows have not been deleted yet.
    if (this.#parts?.outbox.projectRemoval() === "records") return refuseIfDeleted(before) ?? succeed(null);
    let history: LaneHistory | null;
    try {
      history = await readHistory(this.#env, owner, () => this.ids.run());
    } catch (error) {
      logFailure("lane", { project_id: owner.projectId, what: "take over project" }, error);
      return refuse("unavailable", "The database does not answer at the moment.");
    }
    if (history === null) return refuseIfDeleted(before) ?? refuse("not_found", "The project was deleted.");
    if (before.deletedAt === null && history.highestVersion === 0) return succeed(null);
    // The rest of the deletion would otherwise delete the new logs.
    await this.#parts?.effects.storeLogs();
    if (this.#isTakenOver()) return succeed(null);
    // No parts: the lane ceased to exist in the meantime, and only the value that was read above is left.
    const now = this.#parts?.store.load() ?? before;
    if (now.deletedAt !== before.deletedAt) return refuseIfDeleted(now) ?? succeed(null);
    if (this.#parts !== null && this.#parts.outbox.projectRemoval() !== null)
      return refuse("unavailable", "The project's earlier deletion has not finished. Try again shortly.");
    const next = takeOver(now, history);
    const { revisions } = history;
    this.#inTransaction(() => this.parts.store.saveTakenOver(next, owner, revisions));
    this.#ctx.waitUntil(this.carryOut());
    // Ends the deployments that are running according to D1 and that the lane does not have.
    await this.parts.effects.repairRecords();
    return succeed(null);
  }

  #isTakenOver(): boolean {
    return this.owner() !== null && this.parts.store.load().deletedAt === null;
  }

  #inTransaction<Value>(job: () => Value): Value {
    const { storage, store } = this.parts;
    try {
      return storage.transactionSync(job);
    } catch (error) {
      store.forgetCache();
      throw error;
    }
  }

  /** As `save`, and carries out the decision without making the caller wait. */
  decide<Decided extends Decision, Code extends ProblemCode = never>(
    owner: LaneOwner,
    decide: (lane: Lane, now: number) => Result<Decided, Code>,
    saveWith: (decided: Decided, now: number) => void = () => undefined,
    writeTimeOf: (decided: Decided) => WriteTime = () => "now",
  ): Result<Decided, Code> {
    const result = this.save(owner, decide, saveWith);
    if (result.ok) this.#ctx.waitUntil(this.carryOut(writeTimeOf(result.value)));
    return result;
  }

  /**
   * Saves a decision with its effects, or nothing if it refuses or throws.
   * @param decide `now` is in Unix milliseconds
   * @param saveWith saves more in the same transaction
   */
  save<Decided extends Decision, Code extends ProblemCode = never>(
    owner: LaneOwner,
    decide: (lane: Lane, now: number) => Result<Decided, Code>,
    saveWith: (decided: Decided, now: number) => void = () => undefined,
  ): Result<Decided, Code> {
    // A refusal creates no tables.
    const first = this.#parts === null ? decide(emptyLane, Date.now()) : null;
    if (first?.ok === false) return first;
    const { store, now } = this.parts;
    const at = now();
    return this.#inTransaction(() => {
      const decided = decide(store.load(), at);
      if (!decided.ok) return decided;
      store.save(decided.value.lane, owner);
      for (const effect of decided.value.effects) saveEffect(this.parts, effect, at);
      saveWith(decided.value, at);
      return decided;
    });
  }

  /** As `refreshFreezes`, if something is queued and the lane has not read the freezes for an hour. */
  async refreshFreezesIfDue(): Promise<void> {
    const { store, now } = this.parts;
    const dueAt = freezesDueAt(store.load());
    if (dueAt !== null && now() >= dueAt) await this.refreshFreezes();
  }

  /** Reads the freezes from D1: the lane may have missed a change, or D1 was restored. */
  async refreshFreezes(): Promise<void> {
    const { store, effects } = this.parts;
    const owner = this.owner();
    if (owner === null || store.load().deletedAt !== null) return;
    await effects.retries.run("read freezes", async () => {
      const before = store.load().freezes;
      const { database } = new DatabaseSession(this.#env.DB, "first-primary");
      const rows = new AccountRows(database, owner.accountId);
      // A project that D1 does not have keeps its freezes. The next start reads them again.
      const read = (await findProjectFreezes(rows, owner.projectId)) ?? before;
      const isKnown = read.sequence >= before.sequence && freezesDueAt(store.load()) === null;
      if (isKnown) return;
      this.save(owner, (lane, now) => succeed(decideFreezes(lane, read, before.sequence, now)));
    });
  }

  /** Sets the alarm first, in the same turn as the save, so that it fires if the object dies later. */
  async carryOut(time: WriteTime = "now"): Promise<void> {
    const armed = this.#armAlarm();
    await this.parts.effects.all(time);
    await armed;
    await this.#armAlarm();
  }

  /** Deletes the storage of a deleted project's lane once no request from before the deletion can arrive. */
  async ceaseToExist(): Promise<void> {
    const { store, effects, now } = this.parts;
    const until = keptUntil(store.load());
    if (until === null || now() < until || effects.isPending()) return;
    // This also deletes the alarm, in one step, so an interruption cannot leave storage without an alarm.
    await this.#ctx.storage.deleteAll();
    this.alarm.noteFired();
    this.#parts = null;
  }

  #openParts(): OpenParts {
    const { storage } = this.#ctx;
    const store = new LaneStore(storage.sql);
    const outbox = new LaneOutbox(storage.sql);
    const logs = new LogBuffer(storage.sql, (id) => this.readers.changed(id));
    const changes = new ChangeOutbox(storage.sql);
    const { ids, builds } = this;
    const parts = {
      env: this.#env,
      storage,
      store,
      outbox,
      logs,
      changes,
      ids,
      permitted: new Map(),
      builds,
      now: () => Date.now(),
    };
    return { ...parts, effects: new LaneEffects(parts) };
  }

  async #armAlarm(): Promise<void> {
    // The lane has ceased to exist while effects were carried out, and must not get tables again.
    if (this.#parts === null) return;
    const { store, logs, effects, now } = this.#parts;
    const at = now();
    const pending = {
      isPending: effects.isPending() || logs.due().length > 0,
      failures: effects.retries.failures,
    };
    const wakeAt = nextWakeAt(store.load(), pending, at);
    // Without failures, each report of the agent changes the time. The alarm is not set to a later one: setting it back
    // for the next effects would delay a commit of the run. An alarm that fires too early costs less.
    if (wakeAt !== null && pending.failures === 0) await this.alarm.setBy(wakeAt);
    else await this.alarm.setExactly(wakeAt);
  }
}

type OpenParts = LaneContext & { readonly effects: LaneEffects };
