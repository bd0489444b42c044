import { webhookEndpoints } from "#contract/endpoints/webhooks/endpoints.ts";
import { forTokens } from "#worker/http/routes.ts";
import { answer, answerPage } from "#worker/http/responses.ts";
import { createWebhook, deleteWebhook, rotateWebhook } from "#worker/operations/webhooks/change-webhooks.ts";
import { getWebhook, listDeliveries, listWebhooks } from "#worker/operations/webhooks/read-webhooks.ts";
import {
  resendDeliveries,
  resendDelivery,
  testWebhook,
} from "#worker/operations/webhooks/resend-deliveries.ts";
import { updateWebhook } from "#worker/operations/webhooks/update-webhook.ts";

export const webhookRoutes = forTokens(webhookEndpoints, {
  listWebhooks: (context, { query, url }) => answerPage(listWebhooks(context, query), url),
  createWebhook: (context, { body }) =>
    answer(createWebhook(context, body), ({ id }) => ({ location: `/v1/webhooks/${id}` })),
  getWebhook: (context, { params }) => answer(getWebhook(context, params.webhook_id)),
  updateWebhook: (context, { params, body }) => answer(updateWebhook(context, params.webhook_id, body)),
  deleteWebhook: (context, { params }) => answer(deleteWebhook(context, params.webhook_id)),
  testWebhook: (context, { params }) => answer(testWebhook(context, params.webhook_id)),
  rotateWebhook: (context, { params }) => answer(rotateWebhook(context, params.webhook_id)),
  listDeliveries: (context, { params, query, url }) =>
    answerPage(listDeliveries(context, params.webhook_id, query), url),
  resendDelivery: (context, { params }) =>
    answer(resendDelivery(context, params.webhook_id, params.event_id)),
  resendDeliveries: (context, { params, body }) => answer(resendDeliveries(context, params.webhook_id, body)),
});
