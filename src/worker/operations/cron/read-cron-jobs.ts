import type { CronName } from "#contract/endpoints/cron/job-schemas.ts";
import type { CronJobList, CronJobReport } from "#contract/endpoints/cron/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findServedProject } from "#worker/db/projects/served-project.ts";
import type { ReadRefusal } from "#worker/operations/commands/job-refusal.ts";
import { noSuchJob, readCron } from "#worker/operations/cron/read-cron.ts";
import { notFound } from "#worker/operations/refusals.ts";

/** Returns the jobs of the live deployment, as the server runs them. */
export async function listCronJobs(
  context: Context,
  id: ProjectId,
): Promise<Result<CronJobList, ReadRefusal>> {
  const project = await findServedProject(context.rows, id);
  if (project === null) return notFound("project");
  const read = await readCron(context, project, null);
  return read.ok ? succeed({ jobs: [...read.value] }) : read;
}

/** Returns a job of the live deployment with all its runs. */
export async function getCronJob(
  context: Context,
  id: ProjectId,
  name: CronName,
): Promise<Result<CronJobReport, ReadRefusal>> {
  const project = await findServedProject(context.rows, id);
  if (project === null) return notFound("project");
  const read = await readCron(context, project, name);
  if (!read.ok) return read;
  const job = read.value.find((one) => one.name === name);
  return job === undefined ? await noSuchJob(context, project, name) : succeed(job);
}
