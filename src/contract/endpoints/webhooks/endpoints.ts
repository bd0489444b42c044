import * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { get, patch, post, remove, token } from "#contract/endpoints/endpoint-defaults.ts";
import * as schemas from "#contract/endpoints/webhooks/schemas.ts";
import { EventId, WebhookId } from "#contract/ids.ts";
import { PageQuery } from "#contract/paging.ts";

const WebhookParams = z.strictObject({ webhook_id: WebhookId });
const DeliveryParams = z.strictObject({ webhook_id: WebhookId, event_id: EventId });

const NoFields = z.strictObject({});

export const webhookEndpoints = {
  listWebhooks: {
    ...get("/v1/webhooks", token("webhooks:read")),
    query: PageQuery,
    success: { status: 200, body: schemas.WebhookRows },
  },
  createWebhook: {
    ...post("/v1/webhooks", token("webhooks:write")),
    body: schemas.CreateWebhookInput,
    success: { status: 201, body: schemas.WebhookWithSecret },
    problems: ["too_many"],
  },
  getWebhook: {
    ...get("/v1/webhooks/:webhook_id", token("webhooks:read")),
    params: WebhookParams,
    success: { status: 200, body: schemas.WebhookDetails },
  },
  updateWebhook: {
    ...patch("/v1/webhooks/:webhook_id", token("webhooks:write")),
    params: WebhookParams,
    body: schemas.UpdateWebhookInput,
    success: { status: 200, body: schemas.Webhook },
  },
  deleteWebhook: {
    ...remove("/v1/webhooks/:webhook_id", token("webhooks:write")),
    params: WebhookParams,
    success: { status: 204, body: null },
  },
  testWebhook: {
    ...post("/v1/webhooks/:webhook_id/test", token("webhooks:write")),
    params: WebhookParams,
    body: NoFields,
    success: { status: 200, body: schemas.WebhookTest },
  },
  rotateWebhook: {
    ...post("/v1/webhooks/:webhook_id/rotate", token("webhooks:write")),
    params: WebhookParams,
    body: NoFields,
    success: { status: 200, body: schemas.WebhookWithSecret },
  },
  listDeliveries: {
    ...get("/v1/webhooks/:webhook_id/deliveries", token("webhooks:read")),
    params: WebhookParams,
    query: PageQuery,
    success: { status: 200, body: schemas.DeliveryRows },
  },
  resendDelivery: {
    ...post("/v1/webhooks/:webhook_id/deliveries/:event_id/resend", token("webhooks:write")),
    params: DeliveryParams,
    body: NoFields,
    success: { status: 200, body: schemas.Delivery },
    problems: ["webhook_disabled"],
  },
  resendDeliveries: {
    ...post("/v1/webhooks/:webhook_id/resend", token("webhooks:write")),
    params: WebhookParams,
    body: schemas.ResendInput,
    success: { status: 200, body: schemas.Resent },
    problems: ["webhook_disabled"],
  },
} as const satisfies Record<string, Endpoint>;
