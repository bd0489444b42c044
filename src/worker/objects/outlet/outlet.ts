import { DurableObject } from "cloudflare:workers";

import type { Event, WebhookEvent } from "#contract/endpoints/events/schemas.ts";
import type { ShownSettings } from "#contract/endpoints/webhooks/schemas.ts";
import type { EventId } from "#contract/ids.ts";
import { changeSettings, type SettingChanges } from "#domain/outlet/change-settings.ts";
import { healthy } from "#domain/outlet/health.ts";
import { shownSettings, shownTarget } from "#domain/outlet/shown-target.ts";
import { DeliveryStore } from "#worker/objects/outlet/delivery-store.ts";
import type { StoredAttempt } from "#worker/objects/outlet/stored-delivery.ts";
import { OutletMemoryStore } from "#worker/objects/outlet/outlet-memory.ts";
import type { OutletContext } from "#worker/objects/outlet/outlet-context.ts";
import { activeSecrets, OutletRecord, type StoredTarget } from "#worker/objects/outlet/outlet-record.ts";
import { OutletSender } from "#worker/objects/outlet/outlet-sender.ts";
import { reconcile } from "#worker/objects/outlet/reconcile.ts";
import { type ShownDelivery, shownDelivery } from "#worker/objects/outlet/shown-delivery.ts";
import { takeEvents } from "#worker/objects/outlet/take-events.ts";
import { ObjectAlarm } from "#worker/objects/shared/object-alarm.ts";
import { createObjectIds } from "#worker/objects/shared/object-ids.ts";
import { RetryTracker } from "#worker/objects/shared/retry-tracker.ts";
import { inJurisdiction } from "#worker/objects/placement.ts";

/** How soon D1 is asked whether a webhook that may be deleted still exists. */
const RETIRED_CHECK_MS = 60_000;

/** How long after its alarm an object that has died meanwhile wakes up again. */
const WAKE_AGAIN_MS = 30_000;

/** What a webhook's read shows besides its row in D1. Times are Unix milliseconds. */
export type OutletDetails = {
  readonly settings: ShownSettings;
  readonly previousSecretExpiresAt: number | null;
  readonly pending: number;
  readonly held: number;
  readonly lastAttempt: StoredAttempt | null;
};

/** The result of a change of settings. `before` and `after`: the target as it is shown. */
export type SettingsChanged =
  | { readonly ok: true; readonly before: string; readonly after: string }
  | { readonly ok: false; readonly field: string; readonly message: string };

/**
 * The target of one webhook: its address and its secrets, which are stored nowhere else, and the deliveries to it. A
 * delivery is saved before `take` returns, and its alarm sends it until it succeeds or its attempts are used up. What is
 * sent is recorded afterwards, so a delivery can arrive twice, but none is lost. A target that is slow or fails delays
 * only its own deliveries.
 */
export class Outlet extends DurableObject<Env> {
  readonly #context: OutletContext;
  readonly #sender: OutletSender;
  readonly #alarm: ObjectAlarm;
  readonly #retries: RetryTracker;

  constructor(ctx: DurableObjectState, bindings: Env) {
    const env = inJurisdiction(bindings);
    super(ctx, env);
    const { storage } = ctx;
    const now = () => Date.now();
    const record = new OutletRecord(storage.kv);
    this.#context = {
      env,
      storage,
      record,
      deliveries: new DeliveryStore(storage.sql),
      memory: new OutletMemoryStore(storage.sql),
      ids: createObjectIds(),
      now,
    };
    this.#sender = new OutletSender(this.#context);
    this.#alarm = new ObjectAlarm(storage);
    this.#retries = new RetryTracker("outlet", () => ({ webhook_id: record.target()?.webhookId }));
  }

  /**
   * Called before the webhook's row is written to D1; if that fails, the object removes itself. Safe to repeat.
   * @param secret signs the deliveries; null: the kind does not sign
   */
  async create(target: Omit<StoredTarget, "secrets">, secret: string | null): Promise<void> {
    this.#context.storage.transactionSync(() => {
      this.#context.deliveries.createTables();
      this.#context.memory.createTables();
      this.#context.record.create(target, secret);
    });
    await this.#arm();
  }

  /** Takes events to send. They are saved when this returns. Safe to repeat with the same events. */
  async take(events: readonly Event[]): Promise<void> {
    const target = this.#context.record.target();
    // The webhook is from a restored database: its address is lost.
    if (target === null) return;
    this.#context.storage.transactionSync(() => takeEvents(this.#context, target, events));
    await this.#sendSoon();
  }

  /** null: the address is lost, because the database was restored. */
  async details(): Promise<OutletDetails | null> {
    const { record, deliveries, now } = this.#context;
    const target = record.target();
    if (target === null) return null;
    const [, replaced] = activeSecrets(target, now());
    return {
      settings: shownSettings(target.settings),
      previousSecretExpiresAt: replaced?.until ?? null,
      pending: deliveries.count("pending"),
      held: deliveries.count("held"),
      lastAttempt: deliveries.lastAttempt(),
    };
  }

  /** Changes settings of the webhook's kind. null: the address is lost. */
  async change(changes: SettingChanges): Promise<SettingsChanged | null> {
    const { record } = this.#context;
    const target = record.target();
    if (target === null) return null;
    const changed = changeSettings(target.settings, changes);
    if (!changed.ok) return changed;
    record.change(changed.value);
    return { ok: true, before: shownTarget(target.settings), after: shownTarget(changed.value) };
  }

  /** Signs with a new secret, and for a day also with the earlier ones. @returns false: the address is lost */
  async rotate(secret: string): Promise<boolean> {
    const { record, now } = this.#context;
    record.rotate(secret, now());
    return record.target() !== null;
  }

  /**
   * Called before D1 has the new state, which is compared shortly afterwards. Deliveries that wait are held when it is
   * disabled, and stay so when it is enabled, until somebody resends them. @returns false: the address is lost
   */
  async setEnabled(isEnabled: boolean): Promise<boolean> {
    const { record, deliveries, now, storage } = this.#context;
    if (record.target() === null) return false;
    const isDisabled = record.state().disabled !== null;
    if (isDisabled !== isEnabled) return true;
    storage.transactionSync(() => {
      const disabled = isEnabled ? null : { reason: null, eventId: null, at: now() };
      if (!isEnabled) deliveries.hold();
      record.updateShown({ disabled, health: healthy, pausedUntil: null });
    });
    await this.#arm();
    return true;
  }

  /**
   * Sends a test event once, now. Not named `test`, which the runtime keeps for itself.
   * @returns null: the address is lost, or the kind has nothing to send
   */
  async sendTest(event: WebhookEvent): Promise<StoredAttempt | null> {
    const { record, deliveries, storage } = this.#context;
    if (record.target() === null) return null;
    const sequence = Math.max(deliveries.newestSequence(), 1);
    const numbered = { ...event, data: { ...event.data, sequence } };
    const sent = await this.#sender.sendNow({ event: numbered, outcomeBefore: null });
    if (sent === null || record.target() === null) return null;
    const state = sent.attempt.problem === null ? "delivered" : "failed";
    storage.transactionSync(() => {
      const seq = deliveries.add({
        event: numbered,
        coalesce: null,
        outcomeBefore: null,
        state,
        dueAt: null,
      });
      deliveries.noteAttempt({ seq }, sent.attempt, { state, dueAt: null });
    });
    return sent.attempt;
  }

  /** The deliveries, newest first. @param after the number of the last one shown */
  async deliveries(after: number | null, limit: number): Promise<ShownDelivery[]> {
    if (this.#context.record.target() === null) return [];
    return this.#context.deliveries.newestFirst(after, limit).map((delivery) => this.#shown(delivery));
  }

  /** Sends a delivery again, with all its attempts. null: there is none for this event. */
  async resend(eventId: EventId): Promise<ShownDelivery | "disabled" | null> {
    const { record, deliveries, now } = this.#context;
    if (record.target() === null || !deliveries.has(eventId)) return null;
    if (record.state().disabled !== null) return "disabled";
    deliveries.resend(eventId, now());
    await this.#sendSoon();
    const delivery = deliveries.find(eventId);
    return delivery === null ? null : this.#shown(delivery);
  }

  /** Sends failed and held deliveries again. @param since Unix milliseconds. @returns how many */
  async resendAll(since: number, delivered: boolean): Promise<number | "disabled"> {
    const { record, deliveries, now } = this.#context;
    if (record.target() === null) return 0;
    if (record.state().disabled !== null) return "disabled";
    const count = deliveries.resendAll(since, delivered, now());
    await this.#sendSoon();
    return count;
  }

  /** Called before the webhook is deleted in D1: nothing more is sent, unless D1 still has it a minute later. */
  async retire(): Promise<void> {
    const { record, now } = this.#context;
    if (record.target() === null) return;
    record.update({ isRetired: true, checkAt: now() + RETIRED_CHECK_MS });
    await this.#arm();
  }

  /** Compares with D1 now. Called after the webhook was deleted there; a late call is harmless. */
  async compare(): Promise<void> {
    await this.#reconcile();
    await this.#arm();
  }

  override async alarm(): Promise<void> {
    this.#alarm.noteFired();
    if (this.#context.record.target() === null) return;
    // Before anything is sent, so that the object wakes up again if it dies meanwhile.
    await this.#alarm.setExactly(this.#context.now() + WAKE_AGAIN_MS);
    await this.#retries.run("send", () => this.#sender.run());
    if (this.#isCompareDue()) {
      this.#trim();
      await this.#reconcile();
    }
    await this.#arm();
  }

  async #reconcile(): Promise<void> {
    await this.#retries.run("compare with D1", async () => {
      if ((await reconcile(this.#context)) === "gone") await this.#remove();
    });
  }

  async #remove(): Promise<void> {
    // This also deletes the alarm, in one step.
    await this.ctx.storage.deleteAll();
    this.#context.record.forgetCache();
    this.#alarm.noteFired();
  }

  /** At least once a day, because the counter of `trimAfter` starts again with each new object in memory. */
  #trim(): void {
    const { deliveries, memory, now } = this.#context;
    deliveries.trim(now());
    memory.trim(now());
  }

  #isCompareDue(): boolean {
    const { record, now } = this.#context;
    if (record.target() === null) return false;
    const { revision, written, checkAt } = record.state();
    return revision > written || checkAt <= now();
  }

  async #sendSoon(): Promise<void> {
    if (this.#sender.isRunning) this.#sender.wake();
    else await this.#arm();
  }

  /** There is always an alarm, because D1 is asked every day. */
  async #arm(): Promise<void> {
    const { record, now } = this.#context;
    if (record.target() === null) return;
    const { revision, written, checkAt } = record.state();
    const at = now();
    const { failures, delayMs } = this.#retries;
    const sendAt = this.#sender.nextAt() ?? Infinity;
    // A request has written its change to D1 by then, so that mostly nothing is left to write.
    const compareAt = revision > written ? at + delayMs : checkAt;
    const earliest = failures === 0 ? 0 : at + delayMs;
    await this.#alarm.setExactly(Math.max(Math.min(sendAt, compareAt), earliest));
  }

  #shown(delivery: Parameters<typeof shownDelivery>[0]): ShownDelivery {
    return shownDelivery(delivery, this.#sender.isUnderWay(delivery.seq));
  }
}
