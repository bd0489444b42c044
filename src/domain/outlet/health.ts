import * as z from "zod/mini";

import type { WebhookState } from "#contract/endpoints/webhooks/kinds.ts";
import { type BackOff, backOffMs } from "#contract/lib/back-off.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** A target that has only failed for this long gets no more deliveries. */
export const DISABLE_AFTER_MS = 5 * DAY_MS;
/** How many failures within a day show that it was not a single event that the target cannot read. */
const SEVERAL = 3;

/** After this many failures in a row a target gets one request at a time, with pauses between them. */
const SLOW_AFTER = 5;
const PAUSES: BackOff = { firstMs: 5_000, longestMs: 5 * 60_000 };

/** How a target has answered since its last success. Times are Unix milliseconds. */
export const TargetHealth = z.strictObject({
  /** The first failure; null: the last attempt did not fail. */
  failingSince: z.nullable(z.number()),
  failuresInRow: z.int(),
  /** The last few failures, the oldest first. */
  lastFailures: z.array(z.number()),
  /** Whether a delivery has had all its attempts. */
  hasGivenUp: z.boolean(),
});
export type TargetHealth = z.infer<typeof TargetHealth>;

export const healthy: TargetHealth = {
  failingSince: null,
  failuresInRow: 0,
  lastFailures: [],
  hasGivenUp: false,
};

/**
 * @param gaveUp whether it was the delivery's last attempt
 * @param startedAt when the attempt began. An attempt that was under way when the target was slowed down is not counted:
 * a short outage would otherwise cause a pause of minutes
 */
export function afterFailure(
  health: TargetHealth,
  gaveUp: boolean,
  { now, startedAt }: { readonly now: number; readonly startedAt: number },
): TargetHealth {
  const wasUnderWay = isSlowedDown(health) && startedAt < (health.lastFailures.at(-1) ?? 0);
  return {
    failingSince: health.failingSince ?? now,
    failuresInRow: health.failuresInRow + (wasUnderWay ? 0 : 1),
    lastFailures: [...health.lastFailures, now].slice(-SEVERAL),
    hasGivenUp: health.hasGivenUp || gaveUp,
  };
}

/** Whether a target has failed for so long that it is disabled. */
export function isDead({ failingSince, lastFailures, hasGivenUp }: TargetHealth, now: number): boolean {
  if (failingSince === null || now - failingSince < DISABLE_AFTER_MS) return false;
  const [first] = lastFailures;
  const hasFailedSeveralTimes =
    lastFailures.length === SEVERAL && first !== undefined && now - first <= DAY_MS;
  return hasGivenUp || hasFailedSeveralTimes;
}

/** The state that lists show of a target that is not disabled. One failure alone is not shown. */
export function shownState({ failuresInRow }: TargetHealth): Exclude<WebhookState, "disabled"> {
  return failuresInRow >= SEVERAL ? "failing" : "active";
}

/** Whether the target gets one request at a time. */
export function isSlowedDown({ failuresInRow }: TargetHealth): boolean {
  return failuresInRow >= SLOW_AFTER;
}

/** How long a target is left alone after a failure, in milliseconds. */
export function pauseAfter({ failuresInRow }: TargetHealth): number {
  return failuresInRow < SLOW_AFTER ? 0 : backOffMs(failuresInRow - SLOW_AFTER + 1, PAUSES);
}
