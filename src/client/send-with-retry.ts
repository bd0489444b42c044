import { isRepeatable, takesIdempotencyKey } from "#contract/repeatable.ts";
import type { Problem } from "#contract/problems.ts";
import { isPassing, retryDelayMs } from "#client/retry.ts";
import { type Send, send } from "#client/send.ts";
import { pause } from "#contract/lib/pause.ts";

export type Patience = {
  /** Milliseconds from the first try on in which another is made. */
  readonly patienceMs: number;
  /** Milliseconds, from any point in time on. */
  readonly now: () => number;
  /** A key that nobody has used before, for one request and its repetitions. */
  readonly newKey: () => string;
  /** Ends the tries. */
  readonly signal?: AbortSignal;
  /** Is told before each pause. */
  readonly onWaiting?: (problem: Problem, ms: number) => void;
};

/**
 * A way to call endpoints that tries again where no answer comes, or one that says to come later. What makes something
 * carries an Idempotency-Key, so that it is made once. What can neither be repeated nor carry one is sent once.
 */
export function sendWithRetry(patience: Patience): Send {
  const { patienceMs, now, newKey, signal, onWaiting } = patience;
  return async (endpoint, request, transport) => {
    const key = takesIdempotencyKey(endpoint) ? { "idempotency-key": newKey() } : {};
    const repeated = { ...request, headers: { ...key, ...request.headers } };
    const until = now() + patienceMs;
    const isEnded = () => signal?.aborted === true;
    let unheard = 0;
    for (let failures = 1; ; failures += 1) {
      const result = await send(endpoint, repeated, transport);
      if (result.ok) return result;
      const { problem, retryAfterMs = 0 } = result;
      const failed = { ...result, unheard };
      const isUnheard = problem.status === 0;
      if (!isRepeatable(endpoint) || !(isUnheard || isPassing(problem.status))) return failed;
      const ms = Math.max(retryDelayMs(failures), retryAfterMs);
      if (now() + ms > until || isEnded()) return failed;
      if (isUnheard) unheard += 1;
      onWaiting?.(problem, ms);
      await pause(ms, signal);
      if (isEnded()) return failed;
    }
  };
}
