import type { CronJob } from "#contract/endpoints/cron/job-schemas.ts";
import { parseSchedule, type Schedule } from "#project-files/cron/parse-schedule.ts";
import { type TimeZone, timeZone } from "#project-files/cron/time-zone.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** The default time zone of a schedule. */
export const DEFAULT_TIME_ZONE = "UTC";

/** What is wrong with a list of jobs. `message`: after the name of the field. */
export type CronProblem = { readonly path: readonly [number, keyof CronJob]; readonly message: string };

/**
 * Checks what the schema of cron jobs does not: names, schedules and time zones. The dashboard bundles the schema on its first
 * page, which must stay small.
 */
export function findCronProblem(jobs: readonly CronJob[]): CronProblem | null {
  for (const [at, job] of jobs.entries()) {
    if (jobs.findIndex(({ name }) => name === job.name) !== at)
      return { path: [at, "name"], message: `is used twice: ${job.name}` };
    const times = readTimes(job);
    if (!times.ok) return { path: [at, times.field], message: times.reason };
  }
  return null;
}

export type Times = { readonly schedule: Schedule; readonly zone: TimeZone };

/** Reads when a job runs. */
export function readTimes({
  schedule,
  timezone = DEFAULT_TIME_ZONE,
}: Pick<CronJob, "schedule" | "timezone">): ResultOf<
  Times,
  { readonly field: "schedule" | "timezone"; readonly reason: string }
> {
  const parsed = parseSchedule(schedule);
  if (!parsed.ok) return { ...parsed, field: "schedule" };
  const zone = timeZone(timezone);
  return zone === null
    ? { ok: false, field: "timezone", reason: `is not a known time zone, such as Europe/Berlin: ${timezone}` }
    : succeed({ schedule: parsed.value, zone });
}
