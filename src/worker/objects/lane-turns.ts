import type { ProblemCode, Result } from "#contract/problems.ts";
import { keptUntil } from "#domain/lane/decide-delete-project.ts";
import type { Decision } from "#domain/lane/decision.ts";
import type { Lane } from "#domain/lane/lane.ts";
import { LaneEffects } from "#worker/objects/lane-effects.ts";
import { LaneOutbox } from "#worker/objects/lane-outbox.ts";
import type { LaneParts } from "#worker/objects/lane-parts.ts";
import { type LaneOwner, LaneStore } from "#worker/objects/lane-store.ts";
import { LogBuffer } from "#worker/objects/log-buffer.ts";
import { LogFollowers } from "#worker/objects/log-followers.ts";
import { nextWakeAt } from "#worker/objects/next-wake.ts";
import { ObjectAlarm } from "#worker/objects/object-alarm.ts";
import { saveEffect } from "#worker/objects/save-effect.ts";

/**
 * The way in which a lane changes: what is there is loaded, decided on and saved in one turn, without an await in
 * between, and carried out afterwards under an alarm, which comes if this object does not live to do it.
 */
export class LaneTurns {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly alarm: ObjectAlarm;
  /** null: the lane's storage has nothing in it, not even tables. */
  #parts: OpenParts | null;

  constructor(ctx: DurableObjectState, env: Env) {
    this.#ctx = ctx;
    this.#env = env;
    this.alarm = new ObjectAlarm(ctx.storage);
    this.#parts = LaneStore.isIn(ctx.storage.sql) ? openParts(ctx, env) : null;
  }

  /** Not to be kept over an await: a lane that ceases to exist begins anew with others. */
  get parts(): OpenParts {
    return (this.#parts ??= openParts(this.#ctx, this.#env));
  }

  /**
   * Whose lane it is; null before the first start, and where the project is gone for good. Who asks for this first leaves
   * nothing in the storage of such a lane: an agent can name any project, and each object with storage is paid for.
   */
  owner(): LaneOwner | null {
    return this.#parts?.store.owner() ?? null;
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

  async #armAlarm(): Promise<void> {
    const { store, logs, effects, now } = this.parts;
    const at = now();
    const pending = {
      isPending: effects.isPending() || logs.due().length > 0,
      failures: effects.attempts.failures,
    };
    const wakeAt = nextWakeAt(store.load(), pending, at);
    // With nothing to be tried again, it is a deadline that each report of the agent moves on.
    const isDeadline = !pending.isPending && pending.failures === 0;
    if (wakeAt !== null && isDeadline) await this.alarm.setAbout(wakeAt, at);
    else await this.alarm.setExactly(wakeAt);
  }
}

type OpenParts = LaneParts & { readonly effects: LaneEffects; readonly followers: LogFollowers };

function openParts(ctx: DurableObjectState, env: Env): OpenParts {
  const { storage } = ctx;
  const store = new LaneStore(storage.sql);
  const outbox = new LaneOutbox(storage.sql);
  const logs: LogBuffer = new LogBuffer(storage.sql, (id) => followers.changed(id));
  const parts = { env, storage, store, outbox, logs, now: () => Date.now() };
  const effects = new LaneEffects(parts);
  const followers = new LogFollowers({ ctx, logs, settle: effects.writeRecords });
  return { ...parts, effects, followers };
}
