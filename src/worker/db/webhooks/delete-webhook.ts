import { eq } from "drizzle-orm";

import type { WebhookId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { webhooks } from "#worker/db/event-tables.ts";

/** Deletes a webhook. @param records the writes that record it. @returns whether it existed */
export async function deleteWebhook(
  rows: AccountRows,
  id: WebhookId,
  records: readonly Write[],
): Promise<boolean> {
  const [deleted] = await rows.runTogether([rows.delete(webhooks, eq(webhooks.id, id)), ...records]);
  return deleted === 1;
}
