import { DEFAULT_TIME_ZONE } from "#project-files/cron/find-cron-problem.ts";
import type { CronJob } from "#contract/endpoints/cron/job-schemas.ts";
import { type CronJobReport, DEFAULT_CRON_TIMEOUT } from "#contract/endpoints/cron/schemas.ts";

/** A job with all its fields. */
export type ResolvedCronJob = Pick<
  CronJobReport,
  "name" | "schedule" | "command" | "timezone" | "timeout_seconds" | "source"
>;

/** The jobs of a project, by name. A job of the settings replaces the one with its name that the repository defines. */
export function resolveCron(
  repository: readonly CronJob[],
  settings: readonly CronJob[],
): readonly ResolvedCronJob[] {
  const own = new Set(settings.map(({ name }) => name));
  const resolve = (job: CronJob, source: ResolvedCronJob["source"]): ResolvedCronJob => ({
    ...job,
    timezone: job.timezone ?? DEFAULT_TIME_ZONE,
    timeout_seconds: job.timeout_seconds ?? DEFAULT_CRON_TIMEOUT,
    source,
  });
  return [
    ...repository.filter(({ name }) => !own.has(name)).map((job) => resolve(job, "repository")),
    ...settings.map((job) => resolve(job, "project")),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
