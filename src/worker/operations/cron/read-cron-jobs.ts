import type { CronName } from "#contract/endpoints/cron/job-schemas.ts";
import type { CronJobList, CronJobReport } from "#contract/endpoints/cron/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findServedProject } from "#worker/db/projects/find-served-project.ts";
import { JOB_TIMEOUT_MS, type ReadRefusal } from "#worker/operations/commands/job-refusal.ts";
import { noSuchJob } from "#worker/operations/cron/ask-about-cron.ts";
import { notFound } from "#worker/operations/refusals.ts";
import {
  askAgent,
  requestAbout,
  unavailable,
  WRONG_ANSWER,
} from "#worker/operations/repositories/ask-agent.ts";

/** Returns the jobs of the live deployment, as the server runs them. */
export async function listCronJobs(
  context: Context,
  id: ProjectId,
): Promise<Result<CronJobList, ReadRefusal>> {
  const read = await readCron(context, id, null);
  return read.ok ? succeed({ jobs: [...read.value] }) : read;
}

/** Returns a job of the live deployment with all its runs. */
export async function getCronJob(
  context: Context,
  id: ProjectId,
  name: CronName,
): Promise<Result<CronJobReport, ReadRefusal>> {
  const read = await readCron(context, id, name);
  if (!read.ok) return read;
  const job = read.value.find((one) => one.name === name);
  return job === undefined ? noSuchJob(name) : succeed(job);
}

async function readCron(
  context: Context,
  id: ProjectId,
  job: CronName | null,
): Promise<Result<readonly CronJobReport[], ReadRefusal>> {
  const project = await findServedProject(context.rows, id);
  if (project === null) return notFound("project");
  const { request_id, project_id } = requestAbout(context, project);
  const request = { type: "read_cron", request_id, project_id, job } as const;
  const answer = await askAgent(context, project, request, JOB_TIMEOUT_MS);
  if (!answer.ok) return answer;
  return answer.value.type === "cron_read" ? succeed(answer.value.jobs) : unavailable(WRONG_ANSWER);
}
