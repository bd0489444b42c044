import type { Endpoint } from "#contract/endpoints/endpoint.ts";

// Separate from endpoint-facts.ts, which imports the problem table: the dashboard's first page does not need that table.

/** Whether each request creates something, so that a safe retry needs an Idempotency-Key. */
export function takesIdempotencyKey({ method, access, success }: Endpoint): boolean {
  return method === "POST" && access.by === "token" && success.status === 201;
}

/** Whether a retry is safe: a repeated request, with the same Idempotency-Key if accepted, has no further effect. */
export function isRepeatable(endpoint: Endpoint): boolean {
  return endpoint.method !== "POST" || takesIdempotencyKey(endpoint);
}
