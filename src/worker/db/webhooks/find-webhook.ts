import { eq } from "drizzle-orm";

import type { WebhookId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { webhooks } from "#worker/db/event-tables.ts";
import { webhookFields, type WebhookReading } from "#worker/db/webhooks/webhook-reading.ts";

/** The account's webhook with this id; null if there is none. */
export async function findWebhook(rows: AccountRows, id: WebhookId): Promise<WebhookReading | null> {
  const [webhook] = await rows.select(webhookFields, webhooks, { where: eq(webhooks.id, id), limit: 1 });
  return webhook ?? null;
}
