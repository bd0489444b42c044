import { nextDeadline } from "#domain/lane/deadlines.ts";
import { keptUntil } from "#domain/lane/decide-delete-project.ts";
import { nextRemovalAt } from "#domain/lane/pending-removals.ts";
import type { Lane } from "#domain/lane/lane.ts";
import { retryDelayMs } from "#worker/objects/shared/retry-delay.ts";

/** What is left to be carried out, and how it has gone so far. Times are Unix milliseconds. */
export type Pending = {
  readonly isPending: boolean;
  /** How many times in a row the job that is worst off has failed. */
  readonly failures: number;
};

/**
 * When the lane's alarm must come next; null: nothing is left for it. What failed waits longer and longer. Deadlines do
 * not: what R2 or D1 does is no reason to end a run late.
 */
export function nextWakeAt(lane: Lane, { isPending, failures }: Pending, now: number): number | null {
  const timed = Math.min(nextDeadline(lane) ?? Infinity, nextRemovalAt(lane) ?? Infinity);
  const work = Math.min(keptUntil(lane) ?? Infinity, isPending ? now : Infinity);
  const retryAt = now + retryDelayMs(failures);
  const wakeAt = Math.min(Math.max(timed, now + retryDelayMs(0)), Math.max(work, retryAt));
  return wakeAt === Infinity ? null : wakeAt;
}
