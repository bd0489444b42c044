import { and, eq, ne, or, sql } from "drizzle-orm";

import type { WebhookId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { changeWrites } from "#worker/db/changes/change-writes.ts";
import { webhooks } from "#worker/db/event-tables.ts";

/** The fields of a WebhookReading. */
export const webhookFields = {
  id: webhooks.id,
  kind: webhooks.kind,
  name: webhooks.name,
  shownUrl: webhooks.shownUrl,
  events: webhooks.events,
  projectIds: webhooks.projectIds,
  state: webhooks.state,
  disabledReason: webhooks.disabledReason,
  failingSince: webhooks.failingSince,
  createdAt: webhooks.createdAt,
};

/** A webhook without its address and secrets, which D1 does not have. Times are Unix milliseconds. */
export type WebhookReading = Pick<typeof webhooks.$inferSelect, keyof typeof webhookFields>;

/** The account's webhook with this id; null if there is none. */
export async function findWebhook(rows: AccountRows, id: WebhookId): Promise<WebhookReading | null> {
  return await rows.find(webhookFields, webhooks, id);
}

/** The state of a webhook's target, as its Outlet has found it. */
export type ShownWebhookState = Pick<WebhookReading, "state" | "disabledReason" | "failingSince">;

/**
 * Writes the state of a webhook's target, with an event and an audit entry if the state changes. Safe to repeat.
 * @param change null: the change causes none
 */
export async function writeWebhookState(
  rows: AccountRows,
  id: WebhookId,
  shown: ShownWebhookState,
  change: Parameters<typeof changeWrites>[1],
): Promise<void> {
  const differs = or(
    ne(webhooks.state, shown.state),
    sql`${webhooks.failingSince} is not ${shown.failingSince}`,
    sql`${webhooks.disabledReason} is not ${shown.disabledReason}`,
  );
  const update = rows.update(webhooks, shown, and(eq(webhooks.id, id), differs));
  await rows.runTogether([update, ...changeWrites(rows, change)]);
}
