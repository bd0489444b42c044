import { DurableObject } from "cloudflare:workers";

import type { Event, WebhookEvent } from "#contract/endpoints/events/schemas.ts";
import type { ShownSettings } from "#contract/endpoints/webhooks/schemas.ts";
import type { EventId } from "#contract/ids.ts";
import { changeSettings, type SettingChanges } from "#domain/outlet/change-settings.ts";
import { healthy } from "#domain/outlet/health.ts";
import { aboutProjects, type ProjectSelection } from "#domain/outlet/selection.ts";
import { shownSettings, shownTarget } from "#domain/outlet/shown-target.ts";
import { isWithin, withinBoth } from "#domain/token-grant.ts";
import { DeliveryStore } from "#worker/objects/outlet/delivery-store.ts";
import type { StoredAttempt } from "#worker/objects/outlet/stored-delivery.ts";
import { OutletMemoryStore } from "#worker/objects/outlet/outlet-memory.ts";
import type { OutletContext } from "#worker/objects/outlet/outlet-context.ts";
import {
  activeSecrets,
  CHECK_MS,
  OutletRecord,
  type StoredSwitch,
  type StoredTarget,
} from "#worker/objects/outlet/outlet-record.ts";
import { OutletWork } from "#worker/objects/outlet/outlet-work.ts";
import { selectProjects } from "#worker/objects/outlet/select-projects.ts";
import { type ShownDelivery, shownDelivery } from "#worker/objects/outlet/shown-delivery.ts";
import { acceptEvents } from "#worker/objects/outlet/accept-events.ts";
import { createObjectIds } from "#worker/objects/shared/object-ids.ts";
import { inJurisdiction } from "#worker/objects/location.ts";

/** What a webhook's read shows besides its row in D1. Times are Unix milliseconds. */
export type OutletDetails = {
  readonly settings: ShownSettings;
  readonly previousSecretExpiresAt: number | null;
  readonly pending: number;
  readonly held: number;
  readonly lastAttempt: StoredAttempt | null;
};

/**
 * What a request changes in the object. `projectIds`: undefined: they stay as they are. The other fields are settings of
 * the webhook's kind.
 */
export type OutletChanges = {
  readonly settings: SettingChanges;
  readonly projectIds: ProjectSelection | undefined;
};

/** The result of a change of settings. `shown`: the new target as it is shown. */
export type SettingsChanged =
  | { readonly ok: true; readonly shown: string }
  | { readonly ok: false; readonly field: string; readonly message: string };

/**
 * The target of one webhook: its address and its secrets, which are stored nowhere else, and the deliveries to it. A
 * delivery is saved before `accept` returns, and sent until it succeeds or its attempts are used up. A result is recorded
 * after the request, so a delivery can arrive twice, but no delivery is lost. A target that is slow or fails delays only its
 * own deliveries.
 *
 * A caller that is limited to projects passes its limit, and finds no webhook here that selects more than these
 * projects: between its read of D1 and its call somebody may have given the webhook more projects. No caller finds
 * deliveries about projects that the webhook no longer selects.
 */
export class Outlet extends DurableObject<Env> {
  readonly #context: OutletContext;
  readonly #work: OutletWork;

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
    this.#work = new OutletWork(ctx, this.#context);
  }

  /**
   * Called before the webhook's row is written to D1; if that fails, the object removes itself. Safe to repeat.
   * @param secret signs the deliveries; null: the kind does not sign
   */
  async create(
    target: Omit<StoredTarget, "secrets">,
    secret: string | null,
    projectIds: ProjectSelection,
  ): Promise<void> {
    this.#context.storage.transactionSync(() => {
      this.#context.deliveries.createTables();
      this.#context.memory.createTables();
      this.#context.record.create(target, secret, projectIds);
    });
    await this.#work.arm();
  }

  /** Accepts events to send. They are saved when this returns. Safe to repeat with the same events. */
  async accept(events: readonly Event[]): Promise<void> {
    const target = this.#context.record.target();
    // The webhook is from a restored database: its address is lost.
    if (target === null) return;
    // In the same turn, and so with the same write to the disk.
    this.#work.sender.record();
    this.#context.storage.transactionSync(() => acceptEvents(this.#context, target, events));
    await this.#work.sendSoon();
  }

  /** null: the address is lost, because the database was restored. */
  async details(limit: ProjectSelection): Promise<OutletDetails | null> {
    const { now } = this.#context;
    const deliveries = this.#recorded();
    const target = this.#target(limit);
    if (target === null) return null;
    const selection = this.#visible(limit);
    const [, replaced] = activeSecrets(target, now());
    return {
      settings: shownSettings(target.settings),
      previousSecretExpiresAt: replaced?.until ?? null,
      pending: deliveries.count("pending", selection),
      held: deliveries.count("held", selection),
      lastAttempt: deliveries.lastAttempt(selection),
    };
  }

  /**
   * Changes settings of the webhook's kind, and the projects that it selects. Called before D1 has the projects, which are
   * compared a minute later. A new address gets nothing about projects that are no longer selected. null: the address is
   * lost.
   */
  async change(
    { settings, projectIds }: OutletChanges,
    limit: ProjectSelection,
  ): Promise<SettingsChanged | null> {
    const { record, storage, now } = this.#context;
    const target = this.#target(limit);
    if (target === null) return null;
    const changed = changeSettings(target.settings, settings);
    if (!changed.ok) return changed;
    this.#recorded();
    storage.transactionSync(() => {
      if (projectIds !== undefined) {
        selectProjects(this.#context, projectIds, now());
        record.update({ checkAt: now() + CHECK_MS });
      }
      record.change(changed.value);
    });
    if (projectIds !== undefined) await this.#work.arm();
    return { ok: true, shown: shownTarget(changed.value) };
  }

  /** Signs with a new secret, and for a day also with the earlier ones. @returns false: the address is lost */
  async rotate(secret: string, limit: ProjectSelection): Promise<boolean> {
    const { record, now } = this.#context;
    if (this.#target(limit) === null) return false;
    record.rotate(secret, now());
    return true;
  }

  /**
   * Called before D1 has the new state, which is compared a minute later. Waiting deliveries are held when the webhook
   * is disabled. They stay held when it is enabled, until somebody resends them. @param by the request, which is
   * recorded if it does not reach D1 itself; null: D1 has the state already
   * @returns false: the address is lost
   */
  async setEnabled(
    isEnabled: boolean,
    by: Omit<StoredSwitch, "isEnabled"> | null,
    limit: ProjectSelection,
  ): Promise<boolean> {
    const { record, now, storage } = this.#context;
    if (this.#target(limit) === null) return false;
    const deliveries = this.#recorded();
    const isDisabled = record.state().disabled !== null;
    if (isDisabled !== isEnabled) return true;
    storage.transactionSync(() => {
      const disabled = isEnabled ? null : { reason: null, eventId: null, at: now() };
      if (!isEnabled) deliveries.hold();
      record.noteSwitch(by === null ? null : { isEnabled, ...by });
      record.update({ disabled, health: healthy, pausedUntil: null, checkAt: now() + CHECK_MS });
    });
    await this.#work.arm();
    return true;
  }

  /**
   * Sends a test event once, now. Not named `test`, which the runtime keeps for itself.
   * @returns null: the address is lost, or the kind has nothing to send
   */
  async sendTest(event: WebhookEvent, limit: ProjectSelection): Promise<StoredAttempt | null> {
    const { record, deliveries, storage } = this.#context;
    if (this.#target(limit) === null) return null;
    const projects = aboutProjects(event, record.selection().projectIds);
    const sequence = Math.max(deliveries.newestSequence(), 1);
    const numbered = { ...event, data: { ...event.data, sequence } };
    const sent = await this.#work.sender.sendNow({ event: numbered, projects, outcomeBefore: null });
    if (sent === null || record.target() === null) return null;
    const state = sent.attempt.problem === null ? "delivered" : "failed";
    storage.transactionSync(() => {
      const seq = deliveries.add({
        event: numbered,
        projects,
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
  async deliveries(after: number | null, count: number, limit: ProjectSelection): Promise<ShownDelivery[]> {
    if (this.#target(limit) === null) return [];
    return this.#recorded()
      .newestFirst(after, count, this.#visible(limit))
      .map((delivery) => this.#shown(delivery));
  }

  /** Sends a delivery again, with all its attempts. null: there is none for this event. */
  async resend(eventId: EventId, limit: ProjectSelection): Promise<ShownDelivery | "disabled" | null> {
    const { record, now } = this.#context;
    if (this.#target(limit) === null) return null;
    const deliveries = this.#recorded();
    const selection = this.#visible(limit);
    if (deliveries.find(eventId, selection) === null) return null;
    if (record.state().disabled !== null) return "disabled";
    deliveries.resend(eventId, now(), selection);
    await this.#work.sendSoon();
    const delivery = deliveries.find(eventId, selection);
    return delivery === null ? null : this.#shown(delivery);
  }

  /** Sends failed and held deliveries again. @param since Unix milliseconds. @returns how many */
  async resendAll(since: number, delivered: boolean, limit: ProjectSelection): Promise<number | "disabled"> {
    const { record, now } = this.#context;
    if (this.#target(limit) === null) return 0;
    if (record.state().disabled !== null) return "disabled";
    const count = this.#recorded().resendAll(since, delivered, now(), this.#visible(limit));
    await this.#work.sendSoon();
    return count;
  }

  /** Called before the webhook is deleted in D1: nothing more is sent, unless D1 still has it a minute later. */
  async retire(): Promise<void> {
    const { record, now } = this.#context;
    if (record.target() === null) return;
    record.update({ isRetired: true, checkAt: now() + CHECK_MS });
    await this.#work.arm();
  }

  /** Compares with D1 now. Called after the webhook was deleted there; a late call is harmless. */
  async compare(): Promise<void> {
    await this.#work.compare();
  }

  override async alarm(): Promise<void> {
    await this.#work.runAlarm();
  }

  /** The deliveries, with all attempts that have ended. */
  #recorded(): DeliveryStore {
    this.#work.sender.record();
    return this.#context.deliveries;
  }

  /** null: the address is lost, or the webhook selects projects that the caller cannot see. */
  #target(limit: ProjectSelection): StoredTarget | null {
    const { record } = this.#context;
    return isWithin(limit, record.selection().projectIds) ? record.target() : null;
  }

  /** The projects whose deliveries the caller can see. */
  #visible(limit: ProjectSelection): ProjectSelection {
    return withinBoth(this.#context.record.selection().projectIds, limit);
  }

  #shown(delivery: Parameters<typeof shownDelivery>[0]): ShownDelivery {
    return shownDelivery(delivery, this.#work.sender.isUnderWay(delivery.seq));
  }
}
