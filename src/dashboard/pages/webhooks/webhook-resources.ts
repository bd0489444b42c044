import { readAll } from "#client/read-all.ts";
import { webhookEndpoints } from "#contract/endpoints/webhooks/endpoints.ts";
import type { WebhookId } from "#contract/ids.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { FAST_POLL_MS, freshResources, POLL_MS, resources } from "#dashboard/data/resource.ts";

/** More webhooks than an account can have. */
const MOST_WEBHOOKS = 1_000;

export const webhookApi = clientOf(webhookEndpoints);

/** All webhooks of the account. */
export const useWebhooks = resources(
  () =>
    readAll(
      (request) => webhookApi.listWebhooks(request),
      ({ webhooks }) => webhooks,
      MOST_WEBHOOKS,
    ),
  POLL_MS,
  "webhook",
);

/** The newest page of the deliveries of a webhook. */
export const useDeliveries = freshResources(
  (id: WebhookId) => webhookApi.listDeliveries({ params: { webhook_id: id } }),
  ({ deliveries }) =>
    deliveries.some(({ state }) => state === "pending" || state === "sending") ? FAST_POLL_MS : POLL_MS,
);
