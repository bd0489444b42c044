import type { RunNote } from "#agent/jobs/cron/run-notes.ts";
import type { CronRun } from "#contract/endpoints/cron/schemas.ts";

/** Why a cron job is run. `time`: of its schedule, in Unix milliseconds. */
export type Cause =
  | { readonly trigger: "schedule" | "catch_up"; readonly time: number }
  | { readonly trigger: "manual"; readonly key: NonNullable<RunNote["key"]> };

/** A run that starts now, in a release. @param startedAt ISO 8601 */
export function startedRun(number: number, cause: Cause, release: number, startedAt: string): CronRun {
  return {
    ...newRun(number, cause),
    ...{ status: "running", message: null, release, started_at: startedAt, finished_at: null },
  };
}

/**
 * A run that is skipped. Runs that are skipped in a row for the same reason are one.
 * @param newest the newest run of the job, if it has one
 * @param next the number of the next run
 * @param now ISO 8601
 */
export function skippedRun(
  newest: CronRun | null,
  next: number,
  cause: Cause,
  reason: string,
  now: string,
): CronRun {
  const message = reason.slice(0, 1000).toWellFormed();
  const same = newest?.status === "skipped" && newest.message === message ? newest : null;
  return {
    ...newRun(same?.number ?? next, cause),
    ...{ status: "skipped", message, release: null, finished_at: now },
    started_at: same?.started_at ?? now,
    times: (same?.times ?? 0) + 1,
  };
}

function newRun(number: number, cause: Cause) {
  return {
    ...{ number, trigger: cause.trigger, times: 1, exit_code: null, signal: null },
    scheduled_for: cause.trigger === "manual" ? null : new Date(cause.time).toISOString(),
  };
}
