import type { AgentRequest, AgentRequestOf } from "#contract/agent-requests.ts";
import type { CommandOutputQuery } from "#contract/endpoints/commands/schemas.ts";
import type { CronName } from "#contract/endpoints/cron/job-schemas.ts";
import type { CronOutput, CronRun, CronRunReading } from "#contract/endpoints/cron/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { sentence } from "#contract/lib/sentence.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findServedProject } from "#worker/db/projects/served-project.ts";
import {
  type ReadRefusal,
  type StartRefusal,
  withoutStart,
} from "#worker/operations/commands/ask-for-command.ts";
import { noSuchJob } from "#worker/operations/cron/read-cron.ts";
import { onCronServer } from "#worker/operations/projects/servers-of-project.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { askAgent, requestAbout, unavailable } from "#worker/operations/repositories/ask-agent.ts";

type Read = Extract<CronRunReading, { ok: true }>;
type Fields<Type extends AgentRequest["type"]> = Omit<
  AgentRequestOf<Type>,
  "type" | "request_id" | "project_id" | "job"
>;
type RunRequest =
  | ({ readonly type: "run_cron" } & Fields<"run_cron">)
  | ({ readonly type: "read_cron_run" } & Fields<"read_cron_run">)
  | ({ readonly type: "stop_cron_run" } & Fields<"stop_cron_run">);

type CronRunRefusal = Exclude<StartRefusal, "not_live">;

/** Asks the server of a project to run a cron job, or to read or stop a run. */
async function askAboutRun(
  context: Context,
  projectId: ProjectId,
  job: CronName,
  request: RunRequest,
): Promise<Result<Read, CronRunRefusal>> {
  const found = await findServedProject(context.rows, projectId);
  if (found === null) return notFound("project");
  const project = await onCronServer(context, found);
  const { request_id, project_id } = requestAbout(context, project);
  const message: AgentRequestOf<RunRequest["type"]> = { ...request, request_id, project_id, job };
  const answer = await askAgent(context, project, message);
  if (!answer.ok) return answer;
  const { result } = answer.value;
  if (result.ok) return succeed(result);
  switch (result.code) {
    case "unknown_job":
      return await noSuchJob(context, project, job);
    case "unknown_run":
      return refuse("not_found", `The job ${job} has no such run. The server keeps the newest ones.`);
    case "failed":
      return unavailable(`The server could not do this: ${result.message}.`);
    case "is_running":
      return refuse("too_many", sentence(result.message));
    case "refused_by_policy":
    case "secrets_not_sealed":
      return refuse(result.code, sentence(result.message));
  }
}

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

/** Stops a run. A run that has ended stays as it is. */
export async function stopCronRun(
  context: Context,
  projectId: ProjectId,
  job: CronName,
  run: number,
): Promise<Result<CronRun, ReadRefusal>> {
  const read = withoutStart(await askAboutRun(context, projectId, job, { type: "stop_cron_run", run }));
  return read.ok ? succeed(read.value.run) : read;
}
