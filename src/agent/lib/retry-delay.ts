import { backOffMs } from "#contract/lib/back-off.ts";

type BackOffSettings = { readonly backOffBaseMs: number; readonly backOffCapMs: number };

/**
 * How long to wait before the next try, with full jitter: from 0 to a limit that doubles with each failure.
 * @param failures consecutive failed tries, 1 after the first
 * @param chance a random number from 0 to 1
 * @returns milliseconds. Never throws.
 * Source: AWS Architecture Blog, "Exponential Backoff And Jitter".
 */
export function retryDelayMs(
  failures: number,
  chance: number,
  { backOffBaseMs, backOffCapMs }: BackOffSettings,
): number {
  return Math.round(chance * backOffMs(failures, { firstMs: backOffBaseMs, longestMs: backOffCapMs }));
}
