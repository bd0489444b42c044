import type { Event } from "#contract/endpoints/events/schemas.ts";
import type { AccountId, WebhookId } from "#contract/ids.ts";
import { logFailure } from "#worker/log-failure.ts";

/** How long an Outlet may take to store events. It sends none of them before it answers. */
const ACCEPT_TIMEOUT_MS = 10_000;

/** Gives events to the Outlet of a webhook. */
export type AcceptEvents = (webhookId: WebhookId, events: readonly Event[]) => Promise<void>;

/** @returns whether the Outlet has stored the events. Never throws */
export async function handOver(
  accept: AcceptEvents,
  accountId: AccountId,
  webhookId: WebhookId,
  events: readonly Event[],
): Promise<boolean> {
  if (events.length === 0) return true;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("the outlet does not answer")), ACCEPT_TIMEOUT_MS);
  try {
    await Promise.race([accept(webhookId, events), late.promise]);
    return true;
  } catch (error) {
    logFailure("hand over events", { account_id: accountId, webhook_id: webhookId }, error);
    return false;
  } finally {
    clearTimeout(timer);
  }
}
