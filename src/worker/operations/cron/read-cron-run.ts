import type { CommandOutputQuery } from "#contract/endpoints/commands/schemas.ts";
import type { CronName } from "#contract/endpoints/cron/job-schemas.ts";
import type { CronOutput, CronRun, CronRunReading } from "#contract/endpoints/cron/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import {
  askAboutRun,
  type CronReadRefusal,
  type CronRunRefusal,
} from "#worker/operations/cron/ask-about-cron.ts";
import { unavailable } from "#worker/operations/repositories/ask-agent.ts";

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
): Promise<Result<CronOutput, CronReadRefusal>> {
  const request = { type: "read_cron_run", run, offset, wait_ms: wait_seconds * 1000 } as const;
  const read = readOnly(await askAboutRun(context, projectId, job, request));
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
): Promise<Result<CronRun, CronReadRefusal>> {
  const read = readOnly(await askAboutRun(context, projectId, job, { type: "stop_cron_run", run }));
  return read.ok ? succeed(read.value.run) : read;
}

type Read = Extract<CronRunReading, { ok: true }>;

/** The result of a request that starts nothing. */
function readOnly(read: Result<Read, CronRunRefusal>): Result<Read, CronReadRefusal> {
  if (read.ok) return read;
  const { code, detail } = read.refusal;
  switch (code) {
    case "refused_by_policy":
    case "secrets_not_sealed":
    case "too_many":
      return unavailable(detail);
    case "agent_outdated":
    case "not_found":
    case "server_offline":
    case "unavailable":
      return { ok: false, refusal: { ...read.refusal, code } };
  }
}
