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
