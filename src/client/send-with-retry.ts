import { isRepeatable, takesIdempotencyKey } from "#contract/repeatable.ts";
import type { Problem } from "#contract/problems.ts";
import { isTemporary, retryDelayMs } from "#client/retry.ts";
import { type Send, send } from "#client/send.ts";
import { pause } from "#contract/lib/pause.ts";

export type RetryOptions = {
  /** How long to retry, in milliseconds from the first try. */
  readonly retryForMs: number;
  /** A clock in milliseconds, from any starting point. */
  readonly now: () => number;
  /** Returns an unused key for one request and its retries. */
  readonly newKey: () => string;
  /** Ends the retries. */
  readonly signal?: AbortSignal;
  /** Called before each pause. */
  readonly onWaiting?: (problem: Problem, ms: number) => void;
};

/**
 * Returns a `Send` that retries requests without a response or with a temporary error. Requests that create something
 * carry an Idempotency-Key, so they take effect once. Requests that can neither be repeated nor carry a key are sent
 * once.
 */
export function sendWithRetry(options: RetryOptions): Send {
  const { retryForMs, now, newKey, signal, onWaiting } = options;
  return async (endpoint, request, transport) => {
    const key = takesIdempotencyKey(endpoint) ? { "idempotency-key": newKey() } : {};
    const repeated = { ...request, headers: { ...key, ...request.headers } };
    const until = now() + retryForMs;
    const isEnded = () => signal?.aborted === true;
    let unanswered = 0;
    for (let failures = 1; ; failures += 1) {
      const result = await send(endpoint, repeated, transport);
      if (result.ok) return result;
      const { problem, retryAfterMs = 0 } = result;
      const failed = { ...result, unanswered };
      if (!isRepeatable(endpoint) || !isTemporary(problem.status)) return failed;
      const ms = Math.max(retryDelayMs(failures), retryAfterMs);
      if (now() + ms > until || isEnded()) return failed;
      if (problem.status === 0) unanswered += 1;
      onWaiting?.(problem, ms);
      await pause(ms, signal);
      if (isEnded()) return failed;
    }
  };
}
