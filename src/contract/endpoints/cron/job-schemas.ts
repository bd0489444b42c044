import * as z from "zod/mini";

import { listUpTo, textLike, textUpTo } from "#contract/bounds.ts";
import { CommandTimeout, ShellCommand } from "#contract/shell-command.ts";

/** The most jobs in a project's settings, and in gantry.json. */
export const MAX_CRON_JOBS = 50;

/** The name of a cron job, such as `backup`. */
export const CronName = textLike(
  /^[a-z][a-z0-9_-]{0,29}$/,
  "must be a job's name: up to 30 lower-case letters, digits, hyphens and underscores, beginning with a letter",
);
export type CronName = z.infer<typeof CronName>;

/** A cron job. `timezone`: of the schedule. Default: UTC. `findCronProblem` checks the schedule and the time zone. */
export const CronJob = z.strictObject({
  name: CronName,
  schedule: textUpTo(200),
  command: ShellCommand.check(z.maxLength(1000)),
  timezone: z.optional(textUpTo(64)),
  timeout_seconds: z.optional(CommandTimeout),
});
export type CronJob = z.infer<typeof CronJob>;

/** The jobs of a project or of gantry.json. */
export const CronJobs = listUpTo(CronJob, MAX_CRON_JOBS);
export type CronJobs = z.infer<typeof CronJobs>;
