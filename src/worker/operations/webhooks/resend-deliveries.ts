import type { WebhookKind } from "#contract/endpoints/webhooks/kinds.ts";
import type { Delivery, ResendInput, Resent, WebhookTest } from "#contract/endpoints/webhooks/schemas.ts";
import type { EventId, WebhookId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findWebhook } from "#worker/db/webhooks/webhook-records.ts";
import { requestEvent } from "#worker/operations/changes/request-changes.ts";
import { notFound } from "#worker/operations/refusals.ts";
import {
  outletOf,
  recordRequest,
  referenceTo,
  refuseDisabled,
  refuseLostTarget,
} from "#worker/operations/webhooks/webhook-request.ts";
import { timestamp } from "#worker/views/timestamp.ts";
import { attemptView, deliveryView } from "#worker/views/webhook-view.ts";

/** Sends the deliveries of a webhook again that failed or are held. */
export async function resendDeliveries(
  context: Context,
  id: WebhookId,
  { since, delivered }: ResendInput,
): Promise<Result<Resent, "not_found" | "webhook_disabled">> {
  const webhook = await findWebhook(context.rows, id);
  if (webhook === null) return notFound("webhook");
  const from = since === undefined ? 0 : Date.parse(since);
  const resent = await outletOf(context, id).resendAll(from, delivered, context.rows.projectIds);
  if (resent === "disabled") return refuseDisabled();
  await recordRequest(context, webhook);
  return succeed({ resent });
}

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

/** What to check besides the target's answer. */
const hints: Readonly<Partial<Record<WebhookKind, string>>> = {
  teams: "Look in Teams: its workflow can fail although it has accepted the message.",
};

/**
 * Sends a test event to a webhook's target and waits for its answer. Also to a disabled one. The event is not in the
 * account's list: no other webhook gets it.
 */
export async function testWebhook(
  context: Context,
  id: WebhookId,
): Promise<Result<WebhookTest, "not_found">> {
  const webhook = await findWebhook(context.rows, id);
  if (webhook === null) return notFound("webhook");
  const data = { webhook: referenceTo(webhook), reason: null };
  const event = requestEvent(context, { type: "webhook.test", data });
  const numbered = {
    id: event.id,
    type: "webhook.test",
    timestamp: timestamp(event.createdAt),
    data: { sequence: 1, actor: event.actor, ...data },
  } as const;
  const attempt = await outletOf(context, id).sendTest(numbered, context.rows.projectIds);
  if (attempt === null) return refuseLostTarget();
  await recordRequest(context, webhook);
  const delivered = attempt.problem === null;
  return succeed({
    event_id: event.id,
    delivered,
    attempt: attemptView(attempt),
    hint: delivered ? (hints[webhook.kind] ?? null) : null,
  });
}
