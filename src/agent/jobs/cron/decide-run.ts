import type { Times } from "#project-files/cron/find-cron-problem.ts";
import { lastRun } from "#project-files/cron/run-times.ts";

/** If the clock is put back by more, jobs follow the new time. Otherwise they wait for the time that they had reached. */
const MOST_WAIT_MS = 3 * 3_600_000;
/** A run that starts later than this after its time was missed: the server or the agent was off. */
const LATE_MS = 120_000;

export type RunDecision = {
  /** Until when the times of the schedule are handled, in Unix milliseconds. */
  readonly handled: number;
  /** The time for which the job has to run now; `null`: none. Several times that have passed are one run. */
  readonly due: number | null;
  /** Whether the run is more than LATE_MS late. */
  readonly isLate: boolean;
};

/** Decides whether a job has to run. @param handled until when its times were handled before */
export function decideRun({ schedule, zone }: Times, handled: number, now: number): RunDecision {
  if (handled - now > MOST_WAIT_MS) return { handled: now, due: null, isLate: false };
  const due = lastRun(schedule, zone, handled, now);
  // Handled until now, so that the next check does not search the same period again, which may be a year.
  return due === null
    ? { handled: Math.max(handled, now), due, isLate: false }
    : { handled: due, due, isLate: now - due > LATE_MS };
}
