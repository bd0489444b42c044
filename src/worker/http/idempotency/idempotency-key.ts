import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { takesIdempotencyKey } from "#contract/repeatable.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";

/** Source: the IETF draft "The Idempotency-Key HTTP Header Field". Gantry chose the length. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** The request's Idempotency-Key; null without one, or if the endpoint ignores it. */
export function readIdempotencyKey(
  endpoint: Endpoint,
  header: string | null,
): Result<string | null, "invalid_request"> {
  if (header === null || !takesIdempotencyKey(endpoint)) return succeed(null);
  if (KEY.test(header)) return succeed(header);
  return refuse("invalid_request", "The header Idempotency-Key is not valid.", [
    { pointer: "Idempotency-Key", message: "must be 1 to 255 visible ASCII characters" },
  ]);
}
