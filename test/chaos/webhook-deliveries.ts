import { type Delivery, DeliveryRows } from "#contract/endpoints/webhooks/schemas.ts";

import type { Installation } from "../support/faults/installation.ts";

/** The first retry comes after 5 s, the next one after minutes. */
const QUICK_ATTEMPTS = 1;

/** Sends again what the webhook would send only in some minutes, so that a round can end. */
export async function resendWaiting({ api, webhookId }: Installation): Promise<void> {
  const path = `/v1/webhooks/${webhookId}/deliveries`;
  const waiting: Delivery[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const from = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = DeliveryRows.parse((await api.call("GET", `${path}?limit=100${from}`)).json);
    waiting.push(...page.deliveries.filter((one) => one.state === "pending"));
    cursor = page.next_cursor;
  }
  for (const { event_id, attempt_count } of waiting)
    if (attempt_count > QUICK_ATTEMPTS) await api.call("POST", `${path}/${event_id}/resend`, {});
}
