import type { Delivery } from "#contract/endpoints/webhooks/schemas.ts";
import type { EventId, WebhookId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findWebhook } from "#worker/db/webhooks/webhook-records.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { outletOf, recordRequest, refuseDisabled } from "#worker/operations/webhooks/webhook-request.ts";
import { deliveryView } from "#worker/views/webhook-view.ts";

/** Sends a delivery again, with all its attempts. */
export async function resendDelivery(
  context: Context,
  id: WebhookId,
  eventId: EventId,
): Promise<Result<Delivery, "not_found" | "webhook_disabled">> {
  const webhook = await findWebhook(context.rows, id);
  if (webhook === null) return notFound("webhook");
  const delivery = await outletOf(context, id).resend(eventId, context.rows.projectIds);
  if (delivery === null) return notFound("delivery");
  if (delivery === "disabled") return refuseDisabled();
  await recordRequest(context, webhook);
  return succeed(deliveryView(delivery));
}
