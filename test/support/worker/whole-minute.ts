import { pause } from "#contract/lib/pause.ts";

const MINUTE_MS = 60_000;

/**
 * Waits for the next minute if this one ends too soon. The local rate limiter counts per minute of the clock, so
 * requests that are counted together must be in the same minute.
 * @param neededMs the least time that must be left of the minute
 */
export async function startInMinute(neededMs = 25_000): Promise<void> {
  const leftMs = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (leftMs < neededMs) await pause(leftMs + 50);
}
