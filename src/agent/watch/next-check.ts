import { backOffMs } from "#contract/lib/back-off.ts";

/** A branch that cannot be read is tried less and less often, down to this. */
const RAREST_SECONDS = 6 * 3600;

/** When to read a watched branch next: its interval, longer after failures, and up to a tenth earlier or later. */
export function nextCheckSeconds(everySeconds: number, failures: number, chance: number): number {
  const longest = Math.max(everySeconds, RAREST_SECONDS);
  const interval =
    failures === 0
      ? everySeconds
      : backOffMs(failures + 1, { firstMs: everySeconds * 1000, longestMs: longest * 1000 }) / 1000;
  return interval * (0.9 + 0.2 * chance);
}
