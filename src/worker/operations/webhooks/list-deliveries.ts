import { wholeFrom } from "#contract/bounds.ts";
import type { DeliveryRows } from "#contract/endpoints/webhooks/schemas.ts";
import type { WebhookId } from "#contract/ids.ts";
import { DEFAULT_PAGE_SIZE, type PageQuery } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findWebhook } from "#worker/db/webhooks/webhook-records.ts";
import type { ShownDelivery } from "#worker/objects/outlet/shown-delivery.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { outletOf } from "#worker/operations/webhooks/webhook-request.ts";
import { readPage } from "#worker/paging.ts";
import { deliveryView } from "#worker/views/webhook-view.ts";

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
