/**
 * How long to wait before an effect that failed is tried again.
 * @param failures how many times in a row it has failed
 * @returns milliseconds, from 1,000 to 60,000
 */
export function retryDelayMs(failures: number): number {
  return Math.min(60_000, 1000 * 2 ** Math.min(failures, 6));
}
