import { afterAttempt, type AttemptVerdict } from "#domain/outlet/after-attempt.ts";
import { isSlowedDown, shownState } from "#domain/outlet/health.ts";
import { isWithin } from "#domain/token-grant.ts";
import { logFailure } from "#worker/log-failure.ts";
import type { StoredDelivery } from "#worker/objects/outlet/stored-delivery.ts";
import {
  type Attempt,
  type AttemptContext,
  makeAttempt,
  type Sendable,
} from "#worker/objects/outlet/make-attempt.ts";
import type { OutletContext } from "#worker/objects/outlet/outlet-context.ts";
import type { StoredState } from "#worker/objects/outlet/outlet-record.ts";
import { repositoryProblem } from "#worker/objects/outlet/repository-problem.ts";
import { targetRule } from "#worker/objects/outlet/target-rule.ts";

/** The platform allows this many connections at once. Source: Cloudflare's documentation, "Limits" of Workers. */
const MAX_AT_ONCE = 6;
/** Below the 50 requests of one call that the free plan allows. */
const MAX_REQUESTS = 40;
/**
 * How long deliveries that have succeeded wait until they are recorded, and how many. One transaction for all of them is
 * one write to the disk. Deliveries that are not recorded when the object dies arrive twice.
 */
const RECORD_WITHIN_MS = 100;
const MAX_UNRECORDED = 20;

type Ended = { readonly delivery: StoredDelivery; readonly attempt: Attempt };

/**
 * Sends the deliveries of one webhook that are due. If the object dies after a request and before its result is
 * recorded, the delivery is sent again.
 */
export class OutletSender {
  readonly #context: OutletContext;
  readonly #attempts: AttemptContext;
  readonly #noteRetry: () => void;
  /** By number of the delivery. */
  readonly #underWay = new Map<number, Promise<void>>();
  /** The attempts that have ended and are not recorded yet. */
  #ended: Ended[] = [];
  /** Whether an attempt could not be recorded, so that its delivery is still due. */
  #cannotRecord = false;
  #running: Promise<void> | null = null;
  #wake = () => {};

  /** @param noteRetry called after an attempt failed whose delivery is due again later */
  constructor(context: OutletContext, noteRetry: () => void) {
    this.#context = context;
    this.#noteRetry = noteRetry;
    const { record, memory, env, now } = context;
    this.#attempts = {
      target: (delivery) => (this.#isSelected(delivery) ? record.target() : null),
      env,
      problemOf: async ({ settings, accountId }, event) =>
        settings.kind === "commit_status" ? await repositoryProblem(env, accountId, event) : null,
      rule: ({ origin }) => targetRule(env, origin),
      memory: () => memory.all(),
      keep: (entries) => memory.keep(entries, now()),
      now,
    };
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Whether a delivery can be sent now. */
  get isDue(): boolean {
    const at = this.nextAt();
    return at !== null && at <= this.#context.now();
  }

  isUnderWay(seq: number): boolean {
    return this.#underWay.has(seq);
  }

  /** Records the attempts that have ended. Call it before deliveries are read or changed. */
  record(): void {
    const ended = this.#ended;
    if (ended.length === 0) return;
    this.#ended = [];
    if (this.#settleAll(ended)) return;
    const failed = ended.filter((one) => ended.length === 1 || !this.#settleAll([one]));
    this.#cannotRecord = failed.length > 0;
  }

  /** More may be due. */
  wake(): void {
    this.#wake();
  }

  /**
   * Sends the due deliveries, also deliveries that become due during the run. A request that hangs takes one of the
   * places, not all. A call during a run joins the run.
   * @returns when nothing is under way, or when one call of the object may make no more requests: call it again then
   * @throws if an attempt cannot be recorded. Its target would get the delivery again and again: call it again later
   */
  run(): Promise<void> {
    this.wake();
    this.#running ??= this.#send().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #send(): Promise<void> {
    let requests = 0;
    for (;;) {
      if (this.#cannotRecord) {
        this.#cannotRecord = false;
        throw new Error("an attempt was not recorded");
      }
      const room = MAX_REQUESTS - requests - this.#underWay.size;
      for (const delivery of this.#next(room)) {
        const attempt = this.#attempt(delivery).then((ended) => {
          requests += ended.attempt?.requests ?? 0;
          this.#end(ended);
        });
        this.#underWay.set(delivery.seq, attempt);
      }
      if (this.#underWay.size === 0 || room <= 0) return;
      const woken = new Promise<void>((resolve) => (this.#wake = resolve));
      await Promise.race([...this.#underWay.values(), woken]);
    }
  }

  /**
   * When the next delivery can be sent, in Unix milliseconds; null: none waits, or none may be sent. @param after
   * counts only deliveries that are due after this time
   */
  nextAt(after = 0): number | null {
    const { record, deliveries } = this.#context;
    if (record.target() === null) return null;
    const { disabled, isRetired, pausedUntil } = record.state();
    if (disabled !== null || isRetired) return null;
    const dueAt = deliveries.nextDueAt(after);
    return dueAt === null ? null : Math.max(dueAt, pausedUntil ?? 0);
  }

  /** Sends an event once, now, whatever else waits. */
  async sendNow(delivery: Sendable): Promise<Attempt> {
    return await makeAttempt(delivery, this.#attempts);
  }

  #isSelected({ projects }: Pick<Sendable, "projects">): boolean {
    return isWithin(this.#context.record.selection().projectIds, projects);
  }

  #next(room: number): StoredDelivery[] {
    const { deliveries, now } = this.#context;
    if (!this.isDue) return [];
    const atOnce = this.#isInOrder() ? 1 : MAX_AT_ONCE;
    const free = Math.min(atOnce - this.#underWay.size, room);
    if (free <= 0) return [];
    const taken = [...this.#underWay.keys(), ...this.#ended.map(({ delivery }) => delivery.seq)];
    return deliveries.due(now(), free, taken);
  }

  /** Messages are read in order, only the newest status of a commit counts, and a target that fails gets one at a time. */
  #isInOrder(): boolean {
    const { record } = this.#context;
    const target = record.target();
    return target === null || target.settings.kind !== "standard" || isSlowedDown(record.state().health);
  }

  /** Never throws. */
  async #attempt(delivery: StoredDelivery): Promise<Ended> {
    try {
      return { delivery, attempt: await makeAttempt(delivery, this.#attempts) };
    } catch (error) {
      return { delivery, attempt: this.#broken(delivery, error) };
    }
  }

  #end(ended: Ended): void {
    this.#underWay.delete(ended.delivery.seq);
    this.#ended.push(ended);
    // A failure is recorded at once, because it decides which delivery is sent next.
    const hasFailed = ended.attempt === null || ended.attempt.attempt.problem !== null;
    const isLast = this.#underWay.size === 0 || this.#ended.length >= MAX_UNRECORDED;
    if (isLast || hasFailed || this.#isInOrder()) this.record();
    else if (this.#ended.length === 1) void scheduler.wait(RECORD_WITHIN_MS).then(() => this.record());
  }

  /** @returns whether they are recorded. If not, those deliveries are due again */
  #settleAll(ended: readonly Ended[]): boolean {
    try {
      this.#context.storage.transactionSync(() => {
        for (const { delivery, attempt } of ended) this.#settle(delivery, attempt);
      });
      return true;
    } catch (error) {
      // The object was removed, or cannot write.
      this.#context.record.forgetCache();
      const eventIds = ended.map(({ delivery }) => delivery.event.id);
      logFailure("outlet", { what: "record attempts", event_ids: eventIds }, error);
      return false;
    }
  }

  /** An event that no request can be made from must not stop the others. */
  #broken({ event }: StoredDelivery, error: unknown): Attempt {
    logFailure("outlet", { what: "make request", event_id: event.id }, error);
    const problem = "Gantry could not make a request from this event.";
    const attempt = { at: this.#context.now(), status: null, durationMs: 0, problem, answer: "" };
    return { end: { kind: "not_sent", problem }, attempt, requests: 0 };
  }

  #settle(delivery: StoredDelivery, attempt: Attempt): void {
    const { record, deliveries, now } = this.#context;
    if (record.target() === null) return;
    if (attempt === null) return deliveries.noteSuperfluous(delivery);
    const state = record.state();
    const clock = { now: now(), random: Math.random(), startedAt: attempt.attempt.at };
    const verdict = afterAttempt(attempt.end, delivery.tries + 1, state.health, clock);
    const { fate } = verdict;
    const isHeld = fate.state === "pending" && (state.disabled !== null || !this.#isSelected(delivery));
    deliveries.noteAttempt(delivery, attempt.attempt, {
      state: isHeld ? "held" : fate.state,
      dueAt: fate.state === "pending" && !isHeld ? fate.dueAt : null,
    });
    this.#noteVerdict(state, verdict);
    deliveries.trimAfter(1, now());
    if (fate.state === "pending") this.#noteRetry();
  }

  #noteVerdict(state: StoredState, { health, pausedUntil, disabled }: AttemptVerdict): void {
    const { record, deliveries, ids, now } = this.#context;
    if (state.disabled !== null) return;
    if (disabled !== null) {
      record.updateShown({ health, disabled: { reason: disabled, eventId: ids.event(), at: now() } });
      return deliveries.hold();
    }
    const wasHealthy = state.health.failingSince === null && health.failingSince === null;
    if (wasHealthy && pausedUntil === null) return;
    const changes = { health, pausedUntil: laterOf(state.pausedUntil, pausedUntil) };
    if (shownState(health) === shownState(state.health)) record.update(changes);
    else record.updateShown(changes);
  }
}

function laterOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}
