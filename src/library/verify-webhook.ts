import { objectOf } from "#contract/lib/json-object.ts";
import { parseJson } from "#contract/parse-json.ts";
import type { AnyEvent } from "#library/client-types.ts";
import { isSigned } from "#sealing/standard-webhook.ts";

/** What a webhook of the kind `standard` sends. Its `id` is the same for each attempt. */
export type WebhookRequest = {
  /** Of `fetch`, or of Node's `http`. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** As it was received: a body that was parsed and written again has another signature. */
  readonly body: string | Uint8Array;
  /** `whsec_…`. Several while a secret is being replaced. */
  readonly secret: string | readonly string[];
};

/**
 * The event in a request of a webhook; null: the request was not signed with the secret in the last 5 minutes. Answer null
 * with 401, and handle each `id` once: a request that was not answered in time comes again.
 */
export async function verifyWebhook({ headers, body, secret }: WebhookRequest): Promise<AnyEvent | null> {
  const id = headerOf(headers, "webhook-id");
  const given = {
    id,
    timestamp: headerOf(headers, "webhook-timestamp"),
    signature: headerOf(headers, "webhook-signature"),
  };
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const secrets = typeof secret === "string" ? [secret] : secret;
  if (!(await isSigned(secrets, given, new Uint8Array(bytes), Date.now() / 1000))) return null;
  const event = { id, ...objectOf(parseJson(new TextDecoder().decode(bytes))) };
  return isEvent(event) ? event : null;
}

function headerOf(headers: WebhookRequest["headers"], name: string): string | null {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  return typeof value === "string" ? value : null;
}

/** What is signed with the secret is trusted. */
function isEvent(
  value: Readonly<Record<string, unknown>>,
): value is AnyEvent & Readonly<Record<string, unknown>> {
  return typeof value["id"] === "string" && typeof value["type"] === "string";
}
