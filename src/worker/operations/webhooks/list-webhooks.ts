import type { WebhookRows } from "#contract/endpoints/webhooks/schemas.ts";
import { WebhookId } from "#contract/ids.ts";
import type { PageQuery } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { listWebhooks as readWebhooks } from "#worker/db/webhooks/webhook-records.ts";
import { readAll } from "#worker/paging.ts";
import { webhookView } from "#worker/views/webhook-view.ts";

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
