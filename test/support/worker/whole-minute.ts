import { pause } from "#contract/lib/pause.ts";

const MINUTE_MS = 60_000;

/**
 * Waits for the next minute if this one ends too soon. The local rate limiter counts by the minutes of the clock, so
 * requests that are counted together must not lie on both sides of a minute's end.
 * @param neededMs how much of the minute must be left
 */
export async function startInMinute(neededMs = 10_000): Promise<void> {
  const leftMs = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (leftMs < neededMs) await pause(leftMs + 50);
}
