import type { CommandOutputQuery } from "#contract/endpoints/commands/schemas.ts";
import type { CronName } from "#contract/endpoints/cron/job-schemas.ts";
import type { CronOutput, CronRun } from "#contract/endpoints/cron/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { askAboutRun, type CronRunRefusal } from "#worker/operations/cron/ask-about-cron.ts";
import { type ReadRefusal, withoutStart } from "#worker/operations/commands/job-refusal.ts";

/** Runs a job now. A retry with the same Idempotency-Key has the same key, and the agent runs each key once. */
export async function runCronJob(
  context: Context,
  projectId: ProjectId,
  job: CronName,
): Promise<Result<CronRun, CronRunRefusal>> {
  const key = context.ids.command();
  const read = await askAboutRun(context, projectId, job, { type: "run_cron", key });
  return read.ok ? succeed(read.value.run) : read;
}

/** Returns a part of a run's output; waits for it, if the query says so. */
export async function getCronOutput(
  context: Context,
  projectId: ProjectId,
  job: CronName,
  run: number,
  { offset = 0, wait_seconds = 0 }: CommandOutputQuery,
): Promise<Result<CronOutput, ReadRefusal>> {
  const request = { type: "read_cron_run", run, offset, wait_ms: wait_seconds * 1000 } as const;
  const read = withoutStart(await askAboutRun(context, projectId, job, request));
  if (!read.ok) return read;
  const { ok: _, ...output } = read.value;
  return succeed(output);
}

/** Stops a run. One that has ended stays as it is. */
export async function stopCronRun(
  context: Context,
  projectId: ProjectId,
  job: CronName,
  run: number,
): Promise<Result<CronRun, ReadRefusal>> {
  const read = withoutStart(await askAboutRun(context, projectId, job, { type: "stop_cron_run", run }));
  return read.ok ? succeed(read.value.run) : read;
}
