import { isTemporary } from "#client/retry.ts";
import { type Send, send } from "#client/send.ts";
import { takesIdempotencyKey } from "#contract/repeatable.ts";

/** Whoever asks for the same so much later means another one. */
const SAME_WISH_MS = 120_000;

/**
 * A way to call endpoints for somebody who presses a button again where no answer came, or none that says what came of it:
 * the same request carries the same Idempotency-Key then, so that nothing is made twice.
 * @param now milliseconds, from any point in time on
 * @param newKey a key that nobody has used before
 */
export function sendOnce(now: () => number, newKey: () => string): Send {
  const unanswered = new Map<string, { readonly key: string; readonly at: number }>();
  return async (endpoint, request, transport) => {
    if (!takesIdempotencyKey(endpoint)) return await send(endpoint, request, transport);
    const wish = JSON.stringify([endpoint.path, request]);
    const before = unanswered.get(wish);
    const key = before !== undefined && now() - before.at < SAME_WISH_MS ? before.key : newKey();
    unanswered.set(wish, { key, at: now() });
    const headers = { ...request.headers, "idempotency-key": key };
    const result = await send(endpoint, { ...request, headers }, transport);
    const { status } = result.ok ? result : result.problem;
    if (status !== 0 && !isTemporary(status)) unanswered.delete(wish);
    return result;
  };
}
