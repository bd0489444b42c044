import { cronEndpoints } from "#contract/endpoints/cron/endpoints.ts";
import { forTokens } from "#worker/http/routes.ts";
import { answer } from "#worker/http/responses.ts";
import { getCronJob, listCronJobs } from "#worker/operations/cron/read-cron.ts";
import { getCronOutput, runCronJob, stopCronRun } from "#worker/operations/cron/cron-runs.ts";

export const cronRoutes = forTokens(cronEndpoints, {
  listCronJobs: (context, { params }) => answer(listCronJobs(context, params.project_id)),
  getCronJob: (context, { params }) => answer(getCronJob(context, params.project_id, params.job)),
  runCronJob: (context, { params: { project_id, job } }) =>
    answer(runCronJob(context, project_id, job), ({ number }) => ({
      location: `/v1/projects/${project_id}/cron/${job}/runs/${number}/output`,
    })),
  getCronOutput: (context, { params: { project_id, job, run }, query }) =>
    answer(getCronOutput(context, project_id, job, Number(run), query)),
  stopCronRun: (context, { params: { project_id, job, run } }) =>
    answer(stopCronRun(context, project_id, job, Number(run))),
});
