import * as z from "zod/mini";

/**
 * What a webhook sends. `standard`: each event as it is, signed (Standard Webhooks 1.0.0). The chat kinds and `email`: a
 * message for people. `commit_status`: the state of deployments to the forge of the repository.
 */
export const WebhookKind = z.enum([
  "standard",
  "slack",
  "discord",
  "teams",
  "ntfy",
  "email",
  "commit_status",
]);
export type WebhookKind = z.infer<typeof WebhookKind>;

/** `failing`: the last attempts have failed. `disabled`: it gets nothing until somebody enables it. */
export const WebhookState = z.enum(["active", "failing", "disabled"]);
export type WebhookState = z.infer<typeof WebhookState>;

/**
 * `pending`: waits for its first or next attempt. `sending`: an attempt is under way. `failed`: all attempts have failed.
 * `held`: the webhook was disabled, or did not select the event's project. `replaced`: a newer delivery made it
 * superfluous before it was sent.
 */
export const DeliveryState = z.enum(["pending", "sending", "delivered", "failed", "held", "replaced"]);
export type DeliveryState = z.infer<typeof DeliveryState>;
