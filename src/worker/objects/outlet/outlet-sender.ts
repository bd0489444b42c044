import { afterAttempt, type AttemptVerdict } from "#domain/outlet/after-attempt.ts";
import { isSlowedDown, shownState } from "#domain/outlet/health.ts";
import { logFailure } from "#worker/log-failure.ts";
import type { StoredDelivery } from "#worker/objects/outlet/stored-delivery.ts";
import { type Attempt, type AttemptContext, makeAttempt } from "#worker/objects/outlet/make-attempt.ts";
import type { OutletContext } from "#worker/objects/outlet/outlet-context.ts";
import type { StoredState } from "#worker/objects/outlet/outlet-record.ts";
import { targetRule } from "#worker/objects/outlet/target-rule.ts";

/** The platform allows this many connections at once. Source: Cloudflare's documentation, "Limits" of Workers. */
const MAX_AT_ONCE = 6;
/** Below the 50 requests of one call that the free plan allows. */
const MAX_REQUESTS = 40;

/** Sends the deliveries of one webhook that are due. What is sent and not yet recorded when the object dies is sent again. */
export class OutletSender {
  readonly #context: OutletContext;
  readonly #attempts: AttemptContext;
  /** By number of the delivery. */
  readonly #underWay = new Map<number, Promise<void>>();
  #isRunning = false;
  #wake = () => {};

  constructor(context: OutletContext) {
    this.#context = context;
    const { record, memory, env, now } = context;
    this.#attempts = {
      target: () => record.target(),
      env,
      rule: ({ origin }) => targetRule(env, origin),
      memory: () => memory.all(),
      keep: (entries) => memory.keep(entries, now()),
      now,
    };
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  isUnderWay(seq: number): boolean {
    return this.#underWay.has(seq);
  }

  /** More may be due. */
  wake(): void {
    this.#wake();
  }

  /** Sends what is due, also what becomes due meanwhile. One that hangs takes one of the places, not all. */
  async run(): Promise<void> {
    this.#isRunning = true;
    try {
      let requests = 0;
      for (;;) {
        const room = MAX_REQUESTS - requests - this.#underWay.size;
        for (const delivery of this.#next(room)) {
          const attempt = this.#attempt(delivery).then((count) => {
            requests += count;
            this.#underWay.delete(delivery.seq);
          });
          this.#underWay.set(delivery.seq, attempt);
        }
        if (this.#underWay.size === 0) return;
        const woken = new Promise<void>((resolve) => (this.#wake = resolve));
        await Promise.race([...this.#underWay.values(), woken]);
      }
    } finally {
      this.#isRunning = false;
    }
  }

  /** When the next delivery can be sent, in Unix milliseconds; null: none waits, or none may be sent. */
  nextAt(): number | null {
    const { record, deliveries } = this.#context;
    if (record.target() === null) return null;
    const { disabled, isRetired, pausedUntil } = record.state();
    if (disabled !== null || isRetired) return null;
    const dueAt = deliveries.nextDueAt();
    return dueAt === null ? null : Math.max(dueAt, pausedUntil ?? 0);
  }

  /** Sends an event once, now, whatever else waits. */
  async sendNow(delivery: Pick<StoredDelivery, "event" | "outcomeBefore">): Promise<Attempt> {
    return await makeAttempt(delivery, this.#attempts);
  }

  #next(room: number): StoredDelivery[] {
    const { record, deliveries, now } = this.#context;
    const nextAt = this.nextAt();
    const target = record.target();
    if (nextAt === null || nextAt > now() || target === null) return [];
    // Messages are read in order, and only the newest status of a commit counts.
    const isInOrder = target.settings.kind !== "standard" || isSlowedDown(record.state().health);
    const atOnce = isInOrder ? 1 : MAX_AT_ONCE;
    const free = Math.min(atOnce - this.#underWay.size, room);
    if (free <= 0) return [];
    const due = deliveries.due(now(), atOnce + this.#underWay.size);
    return deliveries.numbered(due.filter((seq) => !this.#underWay.has(seq)).slice(0, free));
  }

  /** @returns how many requests it took. Never throws. */
  async #attempt(delivery: StoredDelivery): Promise<number> {
    let attempt: Attempt;
    try {
      attempt = await makeAttempt(delivery, this.#attempts);
    } catch (error) {
      attempt = this.#broken(delivery, error);
    }
    try {
      this.#context.storage.transactionSync(() => this.#settle(delivery, attempt));
    } catch (error) {
      // The object was removed, or cannot write: the delivery is due again.
      this.#context.record.forgetCache();
      logFailure("outlet", { what: "note attempt", event_id: delivery.event.id }, error);
    }
    return attempt?.requests ?? 0;
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
    const clock = { now: now(), random: Math.random() };
    const verdict = afterAttempt(attempt.end, delivery.tries + 1, state.health, clock);
    const { fate } = verdict;
    const isHeld = fate.state === "pending" && state.disabled !== null;
    deliveries.noteAttempt(delivery, attempt.attempt, {
      state: isHeld ? "held" : fate.state,
      dueAt: fate.state === "pending" && !isHeld ? fate.dueAt : null,
    });
    this.#noteVerdict(state, verdict);
    deliveries.trimAfter(1, now());
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
