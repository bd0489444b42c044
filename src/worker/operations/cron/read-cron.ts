import type { CronName } from "#contract/endpoints/cron/job-schemas.ts";
import type { CronJobList, CronJobReport } from "#contract/endpoints/cron/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { didYouMean } from "#contract/lib/suggest.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import type { LocatedProject } from "#worker/db/projects/find-project.ts";
import { findServedProject } from "#worker/db/projects/served-project.ts";
import type { ReadRefusal } from "#worker/operations/commands/ask-for-command.ts";
import { onCronServer } from "#worker/operations/projects/servers-of-project.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { askAgent, requestAbout } from "#worker/operations/repositories/ask-agent.ts";

/** Asks a project's server for the jobs of the live deployment. @param job the only job that is needed; null: all */
export async function readCron(
  context: Context,
  project: LocatedProject,
  job: CronName | null,
): Promise<Result<readonly CronJobReport[], Exclude<ReadRefusal, "not_found">>> {
  const { request_id, project_id } = requestAbout(context, project);
  const request = { type: "read_cron", request_id, project_id, job } as const;
  const answer = await askAgent(context, project, request);
  return answer.ok ? succeed(answer.value.jobs) : answer;
}

/** Refuses a request for a job that the live deployment does not have, with the names of its jobs if the server says them. */
export async function noSuchJob(context: Context, project: LocatedProject, job: CronName) {
  const read = await readCron(context, project, null);
  const names = read.ok ? read.value.map(({ name }) => name) : [];
  const has = names.length > 0 ? ` It has ${names.join(", ")}.` : read.ok ? " It has none." : "";
  return refuse(
    "not_found",
    `The live deployment of the project has no job ${job}.${didYouMean(job, names)}${has}`,
  );
}

/** Returns the jobs of the live deployment, as the server runs them. */
export async function listCronJobs(
  context: Context,
  id: ProjectId,
): Promise<Result<CronJobList, ReadRefusal>> {
  const found = await findServedProject(context.rows, id);
  if (found === null) return notFound("project");
  const project = await onCronServer(context, found);
  const read = await readCron(context, project, null);
  return read.ok ? succeed({ jobs: [...read.value] }) : read;
}

/** Returns a job of the live deployment with all its runs. */
export async function getCronJob(
  context: Context,
  id: ProjectId,
  name: CronName,
): Promise<Result<CronJobReport, ReadRefusal>> {
  const found = await findServedProject(context.rows, id);
  if (found === null) return notFound("project");
  const project = await onCronServer(context, found);
  const read = await readCron(context, project, name);
  if (!read.ok) return read;
  const job = read.value.find((one) => one.name === name);
  return job === undefined ? await noSuchJob(context, project, name) : succeed(job);
}
