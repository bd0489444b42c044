import * as z from "zod/mini";

import { textLike } from "#contract/bounds.ts";
import { CommandOutputQuery } from "#contract/endpoints/commands/schemas.ts";
import { CronName } from "#contract/endpoints/cron/job-schemas.ts";
import * as schemas from "#contract/endpoints/cron/schemas.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { get, post, token } from "#contract/endpoints/endpoint-defaults.ts";
import { ProjectId } from "#contract/ids.ts";

/** The number of a run in a path. */
const RunNumber = textLike(/^[1-9][0-9]{0,8}$/, "must be the number of a run");
const ProjectParams = z.strictObject({ project_id: ProjectId });
const JobParams = z.strictObject({ project_id: ProjectId, job: CronName });
const RunParams = z.strictObject({ project_id: ProjectId, job: CronName, run: RunNumber });

const NoFields = z.strictObject({});

/** The answer has to come from the server. */
const fromServer = ["server_offline", "agent_outdated"] as const;

export const cronEndpoints = {
  listCronJobs: {
    ...get("/v1/projects/:project_id/cron", token("deployments:read")),
    params: ProjectParams,
    success: { status: 200, body: schemas.CronJobList },
    problems: fromServer,
  },
  getCronJob: {
    ...get("/v1/projects/:project_id/cron/:job", token("deployments:read")),
    params: JobParams,
    success: { status: 200, body: schemas.CronJobReport },
    problems: fromServer,
  },
  runCronJob: {
    ...post("/v1/projects/:project_id/cron/:job/run", token("deployments:write")),
    params: JobParams,
    body: NoFields,
    success: { status: 201, body: schemas.CronRun },
    problems: [...fromServer, "refused_by_policy", "secrets_not_sealed", "too_many"],
  },
  getCronOutput: {
    ...get("/v1/projects/:project_id/cron/:job/runs/:run/output", token("deployments:read")),
    params: RunParams,
    query: CommandOutputQuery,
    success: { status: 200, body: schemas.CronOutput },
    problems: fromServer,
  },
  stopCronRun: {
    ...post("/v1/projects/:project_id/cron/:job/runs/:run/stop", token("deployments:write")),
    params: RunParams,
    body: NoFields,
    success: { status: 200, body: schemas.CronRun },
    problems: fromServer,
  },
} as const satisfies Record<string, Endpoint>;
