import type { Problem } from "#contract/problems.ts";
import { pause } from "#contract/lib/pause.ts";
import type { Repeats } from "#contract/repeatable.ts";
import type { ClientResult } from "#client/exchange.ts";
import type { AnyRequest } from "#client/request.ts";
import { isTemporary, retryDelayMs } from "#client/retry.ts";

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
 * Sends a request until it has an answer that is not a temporary error. A request that creates something carries an
 * Idempotency-Key, so it takes effect once. A request that can neither be repeated nor carry a key is sent once.
 */
export async function withRetry<Value>(
  repeats: Repeats,
  request: AnyRequest,
  sendOnce: (request: AnyRequest) => Promise<ClientResult<Value>>,
  { retryForMs, now, newKey, signal, onWaiting }: RetryOptions,
): Promise<ClientResult<Value>> {
  const key = repeats === "with_key" ? { "idempotency-key": newKey() } : {};
  const repeated = { ...request, headers: { ...key, ...request.headers } };
  const until = now() + retryForMs;
  const isEnded = () => signal?.aborted === true;
  let unanswered = 0;
  for (let failures = 1; ; failures += 1) {
    const result = await sendOnce(repeated);
    if (result.ok) return result;
    const { problem, retryAfterMs = 0 } = result;
    const failed = { ...result, unanswered };
    if (repeats === "never" || !isTemporary(problem.status)) return failed;
    const ms = Math.max(retryDelayMs(failures), retryAfterMs);
    if (now() + ms > until || isEnded()) return failed;
    if (problem.status === 0) unanswered += 1;
    onWaiting?.(problem, ms);
    await pause(ms, signal);
    if (isEnded()) return failed;
  }
}
