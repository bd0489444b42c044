import type { WebhookId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { webhooks } from "#worker/db/event-tables.ts";
import { newestFirst, type Position } from "#worker/db/newest-first.ts";
import { webhookFields, type WebhookReading } from "#worker/db/webhooks/webhook-reading.ts";

/** The account's webhooks, newest first. */
export async function listWebhooks(
  rows: AccountRows,
  position: Position<WebhookId>,
): Promise<WebhookReading[]> {
  return await rows.select(webhookFields, webhooks, newestFirst(webhooks.id, position));
}
