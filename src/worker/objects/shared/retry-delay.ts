import { backOffMs } from "#contract/lib/back-off.ts";

/**
 * How long to wait before an effect that failed is tried again.
 * @param failures how many times in a row it has failed
 * @returns milliseconds, from 1,000 to 60,000
 */
export function retryDelayMs(failures: number): number {
  return backOffMs(failures + 1, { firstMs: 1000, longestMs: 60_000 });
}
