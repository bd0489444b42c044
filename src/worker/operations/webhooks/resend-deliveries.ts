import type { ResendInput, Resent } from "#contract/endpoints/webhooks/schemas.ts";
import type { WebhookId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findWebhook } from "#worker/db/webhooks/webhook-records.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { outletOf, recordRequest, refuseDisabled } from "#worker/operations/webhooks/webhook-request.ts";

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
