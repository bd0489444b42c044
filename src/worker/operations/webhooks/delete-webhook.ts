import type { WebhookId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { deleteWebhook as removeWebhook, findWebhook } from "#worker/db/webhooks/webhook-records.ts";
import { logFailure } from "#worker/log-failure.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { outletOf, webhookWrites } from "#worker/operations/webhooks/webhook-request.ts";

/** Deletes a webhook with its address, its secrets and its deliveries. What waits is not sent. */
export async function deleteWebhook(context: Context, id: WebhookId): Promise<Result<null, "not_found">> {
  const webhook = await findWebhook(context.rows, id);
  if (webhook === null) return notFound("webhook");
  const outlet = outletOf(context, id);
  // So that it stops sending and removes itself, also if the call of `compare` below never happens.
  await outlet.retire();
  const records = webhookWrites(context, "webhook.deleted", webhook);
  if (!(await removeWebhook(context.rows, id, records))) return notFound("webhook");
  announceLater(context);
  try {
    await outlet.compare();
  } catch (error) {
    logFailure("delete webhook", { webhook_id: id }, error);
  }
  return succeed(null);
}
