import { backOffMs } from "#contract/lib/back-off.ts";
import { pause } from "#contract/lib/pause.ts";

const MAX_FAILURES = 5;
const BETWEEN_TRIES = { firstMs: 50, longestMs: 1000 };

/**
 * Follows something to its end. If the object restarts or the platform fails, it connects again: `followOnce` continues
 * after the last part. Stops after five consecutive failures, or when `signal` is aborted. @param at names the followed
 * object in the log
 */
export async function* keepFollowing<Event>(
  at: string,
  followOnce: () => AsyncGenerator<Event>,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  for (let failures = 0; !signal.aborted;) {
    try {
      for await (const event of followOnce()) {
        yield event;
        failures = 0;
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      console.warn(JSON.stringify({ level: "warn", at, failures, message: String(error) }));
      if (failures === MAX_FAILURES) return;
    }
    await pause(backOffMs(failures + 1, BETWEEN_TRIES), signal);
  }
}
