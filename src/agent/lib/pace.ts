/**
 * Limits the request rate of all runs of this agent together, so that it stays below the control plane's limit
 * (AGENT_LIMIT in wrangler.toml).
 */
export type Pace = {
  /** Reserves the next request. @returns how long to wait before sending it, in milliseconds */
  reserve(): number;
};

type PaceSettings = { readonly requestBurst: number; readonly requestsPerSecond: number };

/** A token bucket whose level may be negative: then requests wait in the order of their reservations. */
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
