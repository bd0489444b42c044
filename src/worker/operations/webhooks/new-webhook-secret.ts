import { formWebhookSecret } from "#sealing/standard-webhook.ts";
import type { Context } from "#worker/context.ts";

const SECRET_BYTES = 32;

/** Creates a secret that signs deliveries. Only the webhook's object stores it. */
export function newWebhookSecret({ randomBytes }: Pick<Context, "randomBytes">): string {
  return formWebhookSecret(randomBytes(SECRET_BYTES));
}
