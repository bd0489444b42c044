import { nextCommitRequestAt } from "#domain/lane/commit-requests.ts";
import { nextDeadline } from "#domain/lane/deadlines.ts";
import { freezesDueAt } from "#domain/lane/holds.ts";
import { keptUntil } from "#domain/lane/decide-delete-project.ts";
import { nextRemovalAt } from "#domain/lane/pending-messages.ts";
import type { Lane } from "#domain/lane/lane.ts";
import { retryDelayMs } from "#worker/objects/shared/retry-tracker.ts";

/** Whether work is pending, and how often it failed. */
export type Pending = {
  readonly isPending: boolean;
  /** The highest count of consecutive failures of any job. */
  readonly failures: number;
};

/**
 * When the lane's alarm must fire next, in Unix milliseconds; null: no alarm needed. Failed work backs off. Deadlines do
 * not: a failure of R2 or D1 must not delay the end of a run.
 */
export function nextWakeAt(lane: Lane, { isPending, failures }: Pending, now: number): number | null {
  const timed = Math.min(
    nextDeadline(lane) ?? Infinity,
    nextRemovalAt(lane) ?? Infinity,
    nextCommitRequestAt(lane) ?? Infinity,
  );
  const work = Math.min(
    keptUntil(lane) ?? Infinity,
    freezesDueAt(lane) ?? Infinity,
    isPending ? now : Infinity,
  );
  const retryAt = now + retryDelayMs(failures);
  const wakeAt = Math.min(Math.max(timed, now + retryDelayMs(0)), Math.max(work, retryAt));
  return wakeAt === Infinity ? null : wakeAt;
}
