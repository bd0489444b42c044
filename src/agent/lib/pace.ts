/**
 * Spreads the requests of all runs of this agent, so that it stays below the control plane's limit (AGENT_LIMIT of
 * wrangler.toml) however many runs report at once.
 */
export type Pace = {
  /** Takes the next place for a request. @returns how long to wait for it, in milliseconds */
  reserve(): number;
};

type PaceSettings = { readonly requestBurst: number; readonly requestsPerSecond: number };

/** A token bucket whose level may go below zero: then the requests wait in the order in which they came. */
export function createPace(
  clock: { monotonic(): number },
  { requestBurst, requestsPerSecond }: PaceSettings,
): Pace {
  let level = requestBurst;
  let countedAt = clock.monotonic();
  return {
    reserve() {
      const now = clock.monotonic();
      level = Math.min(requestBurst, level + ((now - countedAt) / 1000) * requestsPerSecond) - 1;
      countedAt = now;
      return level >= 0 ? 0 : Math.ceil((-level / requestsPerSecond) * 1000);
    },
  };
}
