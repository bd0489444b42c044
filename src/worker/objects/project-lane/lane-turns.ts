import type { RunId } from "#contract/ids.ts";
import { type ProblemCode, refuse, type Result, succeed } from "#contract/problems.ts";
import { keptUntil, refuseIfDeleted } from "#domain/lane/decide-delete-project.ts";
import type { Decision } from "#domain/lane/decision.ts";
import { emptyLane, type Lane } from "#domain/lane/lane.ts";
import { takeOver } from "#domain/lane/take-over.ts";
import { logFailure } from "#worker/log-failure.ts";
import { LaneEffects } from "#worker/objects/project-lane/lane-effects.ts";
import { type LaneHistory, readHistory } from "#worker/objects/project-lane/lane-history.ts";
import { LaneOutbox } from "#worker/objects/project-lane/lane-outbox.ts";
import type { LaneContext } from "#worker/objects/project-lane/lane-context.ts";
import { type LaneOwner, LaneStore } from "#worker/objects/project-lane/lane-store.ts";
import { LogBuffer } from "#worker/objects/log/log-buffer.ts";
import { LogFollowers } from "#worker/objects/log/log-followers.ts";
import { nextWakeAt } from "#worker/objects/project-lane/next-wake.ts";
import { ObjectAlarm } from "#worker/objects/shared/object-alarm.ts";
import { saveEffect } from "#worker/objects/project-lane/save-effect.ts";

/**
 * The way in which a lane changes: what is there is loaded, decided on and saved in one turn, without an await in
 * between, and carried out afterwards under an alarm, which comes if this object does not live to do it.
 */
export class LaneTurns {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly alarm: ObjectAlarm;
  /** They can follow the log of a lane without storage: it has nothing to tell them. */
  readonly followers: LogFollowers;
  /** null: the lane's storage has nothing in it, not even tables. */
  #parts: OpenParts | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    this.#ctx = ctx;
    this.#env = env;
    this.alarm = new ObjectAlarm(ctx.storage);
    this.followers = new LogFollowers({
      ctx,
      linesAfter: (...asked) => this.#parts?.logs.linesAfter(...asked) ?? { kind: "gone" },
      settle: async () => await this.#parts?.effects.writeRecords(),
    });
    if (LaneStore.isIn(ctx.storage.sql)) this.#parts = this.#openParts();
  }

  /**
   * Makes the tables where there are none, so only for a lane that has an owner or gets one now. Not to be kept over an
   * await: a lane that has ceased to exist has other parts afterwards.
   */
  get parts(): OpenParts {
    return (this.#parts ??= this.#openParts());
  }

  /**
   * Whose lane it is; null before the first start, and where the project is gone for good. Who asks for this first leaves
   * nothing in the storage of such a lane: an agent can name any project, and each object with storage is paid for.
   */
  owner(): LaneOwner | null {
    return this.#parts?.store.owner() ?? null;
  }

  /**
   * Makes sure that the lane knows the project's past, before anything is decided on it. A lane that has forgotten the
   * project, or has seen it deleted, takes over what D1 has: somebody has set the database back. It reads D1 only where it
   * has no owner or was deleted. Refuses with `not_found` where D1 does not have the project either.
   */
  async takeOver(
    owner: LaneOwner,
    newRunId: () => RunId,
  ): Promise<Result<null, "not_found" | "unavailable">> {
    if (this.#isTakenOver()) return succeed(null);
    const before = this.#parts?.store.load() ?? emptyLane;
    // While the deletion is being carried out, D1 has the project because it was not told yet.
    if (this.#parts?.outbox.projectRemoval() === "records") return refuseIfDeleted(before) ?? succeed(null);
    let history: LaneHistory | null;
    try {
      history = await readHistory(this.#env, owner, newRunId);
    } catch (error) {
      logFailure("lane", { project_id: owner.projectId, what: "take over" }, error);
      return refuse("unavailable", "The database does not answer at the moment.");
    }
    if (history === null) return refuseIfDeleted(before) ?? refuse("not_found", "The project was deleted.");
    if (before.deletedAt === null && history.highestVersion === 0) return succeed(null);
    // What is left of the deletion would take the new logs with it.
    await this.#parts?.effects.storeLogs();
    if (this.#isTakenOver()) return succeed(null);
    // Without parts its memory has ended meanwhile; what is left of it is what was read above.
    const now = this.#parts?.store.load() ?? before;
    if (now.deletedAt !== before.deletedAt) return refuseIfDeleted(now) ?? succeed(null);
    if (this.#parts !== null && this.#parts.outbox.projectRemoval() !== null)
      return refuse("unavailable", "What the project had before it was deleted is still being removed.");
    this.#saveTakenOver(takeOver(now, history), owner, history);
    this.#ctx.waitUntil(this.carryOut());
    // Ends what D1 takes for running, and nobody knows of.
    await this.parts.effects.repairRecords();
    return succeed(null);
  }

  #isTakenOver(): boolean {
    return this.owner() !== null && this.parts.store.load().deletedAt === null;
  }

  #saveTakenOver(next: Lane, owner: LaneOwner, { revisions }: LaneHistory): void {
    const { storage, store } = this.parts;
    try {
      storage.transactionSync(() => store.saveTakenOver(next, owner, revisions));
    } catch (error) {
      store.forgetCache();
      throw error;
    }
  }

  /** As `save`; what was decided is carried out without the caller waiting for it. */
  decide<Decided extends Decision, Code extends ProblemCode = never>(
    owner: LaneOwner,
    decide: (lane: Lane, now: number) => Result<Decided, Code>,
    saveWith: (decided: Decided, now: number) => void = () => undefined,
  ): Result<Decided, Code> {
    const result = this.save(owner, decide, saveWith);
    if (result.ok) this.#ctx.waitUntil(this.carryOut());
    return result;
  }

  /**
   * Saves a decision with its effects, or nothing where it refuses or throws.
   * @param decide `now` is in Unix milliseconds
   * @param saveWith saves more in the same transaction
   */
  save<Decided extends Decision, Code extends ProblemCode = never>(
    owner: LaneOwner,
    decide: (lane: Lane, now: number) => Result<Decided, Code>,
    saveWith: (decided: Decided, now: number) => void = () => undefined,
  ): Result<Decided, Code> {
    // A refusal makes no tables.
    const first = this.#parts === null ? decide(emptyLane, Date.now()) : null;
    if (first?.ok === false) return first;
    const { storage, store, now } = this.parts;
    const at = now();
    try {
      return storage.transactionSync(() => {
        const decided = decide(store.load(), at);
        if (!decided.ok) return decided;
        store.save(decided.value.lane, owner);
        for (const effect of decided.value.effects) saveEffect(this.parts, effect, at);
        saveWith(decided.value, at);
        return decided;
      });
    } catch (error) {
      store.forgetCache();
      throw error;
    }
  }

  /** Sets the alarm first, in the same turn as the save: whatever dies from here on, the alarm comes. */
  async carryOut(): Promise<void> {
    const armed = this.#armAlarm();
    await this.parts.effects.all();
    await armed;
    await this.#armAlarm();
  }

  /** A deleted project's lane goes when nothing that was asked for before the deletion can arrive any more. */
  async ceaseToExist(): Promise<void> {
    const { store, effects, now } = this.parts;
    const until = keptUntil(store.load());
    if (until === null || now() < until || effects.isPending()) return;
    // With its alarm, in one step: a lane cut off between the two would be left without either.
    await this.#ctx.storage.deleteAll();
    this.alarm.noteGone();
    this.#parts = null;
  }

  #openParts(): OpenParts {
    const { storage } = this.#ctx;
    const store = new LaneStore(storage.sql);
    const outbox = new LaneOutbox(storage.sql);
    const logs = new LogBuffer(storage.sql, (id) => this.followers.changed(id));
    const parts = { env: this.#env, storage, store, outbox, logs, now: () => Date.now() };
    return { ...parts, effects: new LaneEffects(parts) };
  }

  async #armAlarm(): Promise<void> {
    const { store, logs, effects, now } = this.parts;
    const at = now();
    const pending = {
      isPending: effects.isPending() || logs.due().length > 0,
      failures: effects.retries.failures,
    };
    const wakeAt = nextWakeAt(store.load(), pending, at);
    // With nothing to be tried again, it is a deadline that each report of the agent moves on.
    const isDeadline = !pending.isPending && pending.failures === 0;
    if (wakeAt !== null && isDeadline) await this.alarm.setAbout(wakeAt, at);
    else await this.alarm.setExactly(wakeAt);
  }
}

type OpenParts = LaneContext & { readonly effects: LaneEffects };
