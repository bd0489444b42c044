import type { Endpoint } from "#contract/endpoints/endpoint.ts";

// Separate from endpoint-facts.ts, which imports the problem table: the dashboard's first page does not need that table.

/** Whether each request creates something, or a new secret, so that a safe retry needs an Idempotency-Key. */
export function takesIdempotencyKey({ method, path, access, success }: Endpoint): boolean {
  const isCreating = success.status === 201 || path.endsWith("/rotate");
  return method === "POST" && access.by === "token" && isCreating;
}

/**
 * Whether a retry is safe. `always`: a repeated request has no further effect. `with_key`: it has none if it carries the
 * same Idempotency-Key.
 */
export type Repeats = "always" | "with_key" | "never";

export function repeatsOf(endpoint: Endpoint): Repeats {
  if (takesIdempotencyKey(endpoint)) return "with_key";
  return endpoint.method === "POST" ? "never" : "always";
}
