import type { WebhookWithSecret } from "#contract/endpoints/webhooks/schemas.ts";
import type { WebhookId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findWebhook } from "#worker/db/webhooks/webhook-records.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { newWebhookSecret } from "#worker/operations/webhooks/new-webhook-secret.ts";
import { outletOf, recordRequest, refuseLostTarget } from "#worker/operations/webhooks/webhook-request.ts";
import { webhookView } from "#worker/views/webhook-view.ts";

/** Gives a webhook a new secret. For a day deliveries are signed with the earlier ones too. */
export async function rotateWebhook(
  context: Context,
  id: WebhookId,
): Promise<Result<WebhookWithSecret, "invalid_request" | "not_found">> {
  const webhook = await findWebhook(context.rows, id);
  if (webhook === null) return notFound("webhook");
  if (webhook.kind !== "standard")
    return refuse(
      "invalid_request",
      `A webhook of the kind ${webhook.kind} does not sign, so it has no secret to rotate.`,
    );
  const secret = newWebhookSecret(context);
  if (!(await outletOf(context, id).rotate(secret, context.rows.projectIds))) return refuseLostTarget();
  await recordRequest(context, webhook);
  return succeed({ ...webhookView(webhook), secret });
}
