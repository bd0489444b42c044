import type { Endpoint } from "#contract/endpoints/endpoint.ts";

// Apart from the other facts about an endpoint, which need the table of all problems: the dashboard's first page does not.

/** Whether it makes something anew each time, so that a retry needs an Idempotency-Key to be safe. */
export function takesIdempotencyKey({ method, access, success }: Endpoint): boolean {
  return method === "POST" && access.by === "token" && success.status === 201;
}

/** Whether it can be sent again, with the same Idempotency-Key where it takes one, and does no more than once sent. */
export function isRepeatable(endpoint: Endpoint): boolean {
  return endpoint.method !== "POST" || takesIdempotencyKey(endpoint);
}
