import type { Endpoint } from "#contract/endpoints/endpoint.ts";

// Separate from endpoint-facts.ts, which imports the problem table: the dashboard's first page does not need that table.

/** Whether each request creates something, or a new secret, so that a safe retry needs an Idempotency-Key. */
export function takesIdempotencyKey({ method, path, access, success }: Endpoint): boolean {
  const isCreating = success.status === 201 || path.endsWith("/rotate");
  return method === "POST" && access.by === "token" && isCreating;
}

/** Whether a retry is safe: a repeated request, with the same Idempotency-Key if accepted, has no further effect. */
export function isRepeatable(endpoint: Endpoint): boolean {
  return endpoint.method !== "POST" || takesIdempotencyKey(endpoint);
}
