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
