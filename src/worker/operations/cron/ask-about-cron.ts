import type { AgentRequest, AgentRequestOf } from "#contract/agent-requests.ts";
import type { CronName } from "#contract/endpoints/cron/job-schemas.ts";
import type { CronRunReading } from "#contract/endpoints/cron/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { sentence } from "#contract/lib/sentence.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findServedProject } from "#worker/db/projects/served-project.ts";
import type { StartRefusal } from "#worker/operations/commands/job-refusal.ts";
import { noSuchJob } from "#worker/operations/cron/read-cron.ts";
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

export type CronRunRefusal = Exclude<StartRefusal, "not_live">;

/** Asks the server of a project to run a cron job, or to read or stop a run. */
export async function askAboutRun(
  context: Context,
  projectId: ProjectId,
  job: CronName,
  request: RunRequest,
): Promise<Result<Read, CronRunRefusal>> {
  const project = await findServedProject(context.rows, projectId);
  if (project === null) return notFound("project");
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
