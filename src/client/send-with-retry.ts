import { repeatsOf } from "#contract/repeatable.ts";
import { type Send, send } from "#client/send.ts";
import { type RetryOptions, withRetry } from "#client/with-retry.ts";

/** Returns a `Send` that retries as `withRetry` does. */
export function sendWithRetry(options: RetryOptions): Send {
  return (endpoint, request, transport) =>
    withRetry(repeatsOf(endpoint), request, (repeated) => send(endpoint, repeated, transport), options);
}
