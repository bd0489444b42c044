import type { Times } from "#contract/cron/find-cron-problem.ts";
import { lastRun } from "#contract/cron/run-times.ts";

/** After a clock that was put back by more, jobs follow the new time. Until then they wait for the time that they had. */
const MOST_WAIT_MS = 3 * 3_600_000;
/** A run that starts later than this after its time was missed before. */
const LATE_MS = 120_000;

export type RunDecision = {
  /** Until when the times of the schedule are dealt with, in Unix milliseconds. */
  readonly handled: number;
  /** The time for which the job has to run now; `null`: none. Several times that have passed are one run. */
  readonly due: number | null;
  /** Whether the time passed long ago: the server or the agent was off. */
  readonly isLate: boolean;
};

/** Decides whether a job has to run. @param handled until when its times were dealt with before */
export function decideRun({ schedule, zone }: Times, handled: number, now: number): RunDecision {
  if (handled - now > MOST_WAIT_MS) return { handled: now, due: null, isLate: false };
  const due = lastRun(schedule, zone, handled, now);
  // Until now, so that the next look does not go through the same time again: a year has many schedules' times.
  return due === null
    ? { handled: Math.max(handled, now), due, isLate: false }
    : { handled: due, due, isLate: now - due > LATE_MS };
}
