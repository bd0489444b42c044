import { readAll } from "#client/read-all.ts";
import { webhookEndpoints } from "#contract/endpoints/webhooks/endpoints.ts";
import type { WebhookId } from "#contract/ids.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { freshResources, OFTEN_MS, resources } from "#dashboard/data/resource.ts";

const NOW_AND_THEN_MS = 10_000;

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
  NOW_AND_THEN_MS,
  "webhook",
);

/** The newest page of the deliveries of a webhook. */
export const useDeliveries = freshResources(
  (id: WebhookId) => webhookApi.listDeliveries({ params: { webhook_id: id } }),
  ({ deliveries }) =>
    deliveries.some(({ state }) => state === "pending" || state === "sending") ? OFTEN_MS : NOW_AND_THEN_MS,
);
