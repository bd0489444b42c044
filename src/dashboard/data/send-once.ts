import { isTemporary } from "#client/retry.ts";
import { type Send, send } from "#client/send.ts";
import { takesIdempotencyKey } from "#contract/repeatable.ts";

/** After this time, an equal request is a new one. */
const SAME_REQUEST_MS = 120_000;

/**
 * Creates a `Send` that makes repeated clicks safe. If a request got no response, or a response that leaves its outcome
 * open, the same request is sent with the same Idempotency-Key.
 * @param now milliseconds since any fixed time
 * @param newKey returns a unique key
 */
export function sendOnce(now: () => number, newKey: () => string): Send {
  const unanswered = new Map<string, { readonly key: string; readonly at: number }>();
  return async (endpoint, request, transport) => {
    if (!takesIdempotencyKey(endpoint)) return await send(endpoint, request, transport);
    const content = JSON.stringify([endpoint.path, request]);
    const before = unanswered.get(content);
    const key = before !== undefined && now() - before.at < SAME_REQUEST_MS ? before.key : newKey();
    unanswered.set(content, { key, at: now() });
    const headers = { ...request.headers, "idempotency-key": key };
    const result = await send(endpoint, { ...request, headers }, transport);
    const { status } = result.ok ? result : result.problem;
    if (!isTemporary(status)) unanswered.delete(content);
    return result;
  };
}
