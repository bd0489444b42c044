import { wholeFrom } from "#contract/bounds.ts";
import type { DeliveryRows, WebhookDetails, WebhookRows } from "#contract/endpoints/webhooks/schemas.ts";
import { WebhookId } from "#contract/ids.ts";
import { DEFAULT_PAGE_SIZE, type PageQuery } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findWebhook } from "#worker/db/webhooks/webhook-records.ts";
import { listWebhooks as readWebhooks } from "#worker/db/webhooks/webhook-changes.ts";
import type { ShownDelivery } from "#worker/objects/outlet/shown-delivery.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { outletOf, refuseLostTarget } from "#worker/operations/webhooks/webhook-request.ts";
import { readAll, readPage } from "#worker/paging.ts";
import { deliveryView, webhookDetailsView, webhookView } from "#worker/views/webhook-view.ts";

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

/** Lists the account's webhooks, newest first: all of them, or one page if the query has a limit. */
export async function listWebhooks(
  { rows }: Context,
  query: PageQuery,
): Promise<Result<WebhookRows, "invalid_request">> {
  const page = await readAll("webhooks", WebhookId, (position) => readWebhooks(rows, position), query);
  if (!page.ok) return page;
  return succeed({
    webhooks: page.value.rows.map((reading) => webhookView(reading)),
    next_cursor: page.value.nextCursor,
  });
}

const Seq = wholeFrom(1);

/** Lists the deliveries that a webhook keeps about the projects that it selects, newest first. */
export async function listDeliveries(
  context: Context,
  id: WebhookId,
  query: PageQuery,
): Promise<Result<DeliveryRows, "invalid_request" | "not_found">> {
  if ((await findWebhook(context.rows, id)) === null) return notFound("webhook");
  const list = {
    name: `deliveries of ${id}`,
    key: Seq,
    keyOf: ({ seq }: ShownDelivery) => seq,
    read: async ({ after, limit }: { after: number | null; limit: number }): Promise<ShownDelivery[]> =>
      await outletOf(context, id).deliveries(after, limit, context.rows.projectIds),
  };
  const page = await readPage(list, query, DEFAULT_PAGE_SIZE);
  if (!page.ok) return page;
  return succeed({
    deliveries: page.value.rows.map((delivery) => deliveryView(delivery)),
    next_cursor: page.value.nextCursor,
  });
}
