export { createClient } from "#library/create-client.ts";
export type * from "#library/client-types.ts";
export { GantryProblem, type GantryProblemCode } from "#library/problem.ts";
export type * from "#library/operations.ts";
export { verifyWebhook, type WebhookRequest } from "#library/verify-webhook.ts";
