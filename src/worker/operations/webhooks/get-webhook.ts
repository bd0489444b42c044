import type { WebhookDetails } from "#contract/endpoints/webhooks/schemas.ts";
import type { WebhookId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findWebhook } from "#worker/db/webhooks/webhook-records.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { outletOf, refuseLostTarget } from "#worker/operations/webhooks/webhook-request.ts";
import { webhookDetailsView } from "#worker/views/webhook-view.ts";

/** Reads a webhook, and from its object the settings that are not secret and the state of its deliveries. */
export async function getWebhook(
  context: Context,
  id: WebhookId,
): Promise<Result<WebhookDetails, "not_found">> {
  const webhook = await findWebhook(context.rows, id);
  if (webhook === null) return notFound("webhook");
  const details = await outletOf(context, id).details(context.rows.projectIds);
  return details === null ? refuseLostTarget() : succeed(webhookDetailsView(webhook, details));
}
