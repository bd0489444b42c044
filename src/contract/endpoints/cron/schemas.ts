import * as z from "zod/mini";

import { listUpTo, textUpTo, wholeFrom } from "#contract/bounds.ts";
import {
  CommandOutputLine,
  CommandState,
  CommandStatus,
  reportedOutput,
} from "#contract/endpoints/commands/schemas.ts";
import { CronJob, MAX_CRON_JOBS } from "#contract/endpoints/cron/job-schemas.ts";
import { CommandTimeout } from "#contract/shell-command.ts";

/** How many runs of a job a server keeps, and as many times at which it was skipped. */
export const MAX_KEPT_CRON_RUNS = 20;
/** How many runs of each job are in a list of all jobs. */
export const MAX_LISTED_CRON_RUNS = 5;
/** How much output of a run is kept. */
export const MAX_CRON_OUTPUT_BYTES = 1024 * 1024;
/** How long a job may run, if nothing else is set. In seconds. */
export const DEFAULT_CRON_TIMEOUT = 3600;

/** The number of a run. The first of a job is 1. */
export const CronRunNumber = wholeFrom(1);

/** `schedule`: at its time. `catch_up`: later, because the server or the agent was off. `manual`: a user ran it. */
export const CronTrigger = z.enum(["schedule", "catch_up", "manual"]);
export type CronTrigger = z.infer<typeof CronTrigger>;

/** As of a one-off command. `skipped`: it was not run at its time; `message` says why. */
export const CronRunStatus = z.enum([...CommandStatus.options, "skipped"]);
export type CronRunStatus = z.infer<typeof CronRunStatus>;

/** A run of a job. `times`: how many runs in a row were skipped for the same reason. */
export const CronRun = z.strictObject({
  number: CronRunNumber,
  trigger: CronTrigger,
  /** The time of the schedule; the last one if it was skipped several times. */
  scheduled_for: z.nullable(textUpTo(40)),
  ...CommandState.shape,
  status: CronRunStatus,
  release: z.nullable(CommandState.shape.release),
  times: wholeFrom(1),
});
export type CronRun = z.infer<typeof CronRun>;

/** A job of the live deployment, as its server runs it. */
export const CronJobReport = z.strictObject({
  ...CronJob.shape,
  timezone: textUpTo(64),
  timeout_seconds: CommandTimeout,
  source: z.enum(["project", "repository"]),
  next_run_at: z.nullable(textUpTo(40)),
  /** Why it cannot run now. */
  problem: z.nullable(textUpTo(1000)),
  /** The newest first. */
  runs: listUpTo(CronRun, 2 * MAX_KEPT_CRON_RUNS),
});
export type CronJobReport = z.infer<typeof CronJobReport>;
export const CronJobReports = listUpTo(CronJobReport, 2 * MAX_CRON_JOBS);

export const CronJobList = z.strictObject({ jobs: CronJobReports });
export type CronJobList = z.infer<typeof CronJobList>;

/** An agent's answer about a run. */
export const CronRunReading = z.discriminatedUnion("ok", [
  z.strictObject({
    ok: z.literal(true),
    run: CronRun,
    ...reportedOutput,
  }),
  z.strictObject({
    ok: z.literal(false),
    code: z.enum([
      "refused_by_policy",
      "is_running",
      "secrets_not_sealed",
      "unknown_job",
      "unknown_run",
      "failed",
    ]),
    message: textUpTo(2000),
  }),
]);
export type CronRunReading = z.infer<typeof CronRunReading>;

export const CronOutput = z.strictObject({
  lines: z.array(CommandOutputLine),
  next_offset: wholeFrom(0),
  complete: z.boolean(),
  run: CronRun,
});
export type CronOutput = z.infer<typeof CronOutput>;
