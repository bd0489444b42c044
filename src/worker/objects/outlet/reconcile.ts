import { SYSTEM } from "#domain/events/system-actor.ts";
import { shownState } from "#domain/outlet/health.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import type { NewEvent } from "#worker/db/changes/change-writes.ts";
import type { StoredEntry } from "#worker/db/changes/stored-change.ts";
import {
  findWebhook,
  type ShownWebhookState,
  type WebhookReading,
  writeWebhookState,
} from "#worker/db/webhooks/webhook-records.ts";
import { announce } from "#worker/objects/event-feed/announce.ts";
import type { OutletContext } from "#worker/objects/outlet/outlet-context.ts";
import {
  CHECK_EVERY_MS,
  CHECK_MS,
  CREATION_MS,
  type StoredState,
  type StoredSwitch,
  type StoredTarget,
} from "#worker/objects/outlet/outlet-record.ts";
import { selectProjects } from "#worker/objects/outlet/select-projects.ts";

/**
 * Compares the object with D1: writes the state of the target there, and finds out whether the webhook still exists.
 * @returns whether the webhook is gone, and the object must remove itself
 * @throws if D1 does not answer, or the event cannot be announced
 */
export async function reconcile(context: OutletContext): Promise<"exists" | "gone"> {
  const { env, record, now } = context;
  const target = record.target();
  if (target === null) return "gone";
  const { changedAt } = record.selection();
  const isReadLater = now() >= changedAt + CHECK_MS;
  const rows = new AccountRows(env.DB, target.accountId);
  const webhook = await findWebhook(rows, target.webhookId);
  if (record.target() === null) return "gone";
  const state = record.state();
  if (webhook === null) {
    // Nothing to write it to. If the row comes back, it is written with the next change, or if the row differs.
    record.noteWritten(state.revision);
    return missing({ record, now }, target, state);
  }
  // Not a state that was read before a request has changed it, or while the request may still be running.
  if (isReadLater && record.selection().changedAt === changedAt) applySelection(context, webhook);
  // Until its check is due, a retired webhook may be deleted at any moment, perhaps since D1 was read.
  if (state.checkAt <= now() || (state.missingSince !== null && !state.isRetired))
    record.update({ isRetired: false, missingSince: null, checkAt: now() + CHECK_EVERY_MS });
  const shown = shownOf(state);
  const last = record.lastSwitch();
  if (state.revision > state.written || webhook.state !== shown.state) {
    const change = switchChange(webhook, shown, last) ?? {
      event: disabledEvent(webhook, state),
      audit: null,
    };
    await writeWebhookState(rows, webhook.id, shown, change);
    if (change.event !== null) await announce(env.EVENT_FEED, target.accountId);
    if (record.target() !== null) record.noteWritten(state.revision);
  }
  if (last !== null && record.target() !== null) record.endSwitch(last);
  return "exists";
}

/** The projects that D1 has: a request that changed them here may not have reached it. */
function applySelection(context: OutletContext, { projectIds }: WebhookReading): void {
  const { projectIds: selected, changedAt } = context.record.selection();
  if (JSON.stringify(selected) === JSON.stringify(projectIds)) return;
  context.storage.transactionSync(() => selectProjects(context, projectIds, changedAt));
}

/**
 * A webhook that is not in D1 was deleted, or its creation failed, or the database was restored to an earlier day. In the
 * last case it may come back, so its address and secrets stay for a day.
 */
function missing(
  { record, now }: Pick<OutletContext, "record" | "now">,
  { createdAt }: StoredTarget,
  { isRetired, missingSince, checkAt }: StoredState,
): "exists" | "gone" {
  if (isRetired) return "gone";
  if (missingSince !== null && now() - missingSince >= CHECK_EVERY_MS) return "gone";
  const isNew = now() < createdAt + CREATION_MS;
  if (isNew) return "exists";
  if (checkAt <= now())
    record.update({ missingSince: missingSince ?? now(), checkAt: now() + CHECK_EVERY_MS });
  return "exists";
}

/** What D1 shows of the state. */
function shownOf({ health, disabled }: StoredState): ShownWebhookState {
  if (disabled !== null) return { state: "disabled", disabledReason: disabled.reason, failingSince: null };
  const state = shownState(health);
  return { state, disabledReason: null, failingSince: state === "failing" ? health.failingSince : null };
}

/** What a request that enabled or disabled the webhook did not write to D1; null: it did, or there was none. */
function switchChange(
  { id, name, kind, state }: WebhookReading,
  shown: ShownWebhookState,
  last: StoredSwitch | null,
): { readonly event: NewEvent; readonly audit: StoredEntry } | null {
  const isEnabled = shown.state !== "disabled";
  if (last?.isEnabled !== isEnabled || isEnabled === (state !== "disabled")) return null;
  const { eventId, entry } = last;
  const event: NewEvent = {
    id: eventId,
    type: "webhook.updated",
    data: { webhook: { id, name, kind }, reason: null },
    actor: entry.actor,
    createdAt: entry.createdAt,
  };
  return { event, audit: entry };
}

/** The event that a webhook was disabled, unless somebody did it: then the request causes one. */
function disabledEvent({ id, name, kind }: WebhookReading, { disabled }: StoredState): NewEvent | null {
  if (disabled === null || disabled.eventId === null) return null;
  return {
    id: disabled.eventId,
    type: "webhook.disabled",
    data: { webhook: { id, name, kind }, reason: disabled.reason },
    actor: SYSTEM,
    createdAt: disabled.at,
  };
}
