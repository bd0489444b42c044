import * as z from "zod/mini";

import { EmergencyInput } from "#contract/endpoints/deployments/emergency.ts";
import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { get, patch, post, token } from "#contract/endpoints/endpoint-defaults.ts";
import * as schemas from "#contract/endpoints/processes/schemas.ts";
import { ProjectId } from "#contract/ids.ts";

const ProjectParams = z.strictObject({ project_id: ProjectId });
const ProcessParams = z.strictObject({ project_id: ProjectId, process: schemas.ProcessName });

/** What every start of a `config` deployment has in common. */
const start = {
  body: EmergencyInput,
  success: { status: 201, body: DeploymentStarted },
  problems: ["not_live", "queue_full", "secrets_not_sealed", "agent_outdated"],
} as const;
/** What stores a setting too. */
const startWithSetting = { ...start, problems: [...start.problems, "too_many"] } as const;

export const processEndpoints = {
  getProcesses: {
    ...get("/v1/projects/:project_id/processes", token("deployments:read")),
    params: ProjectParams,
    query: schemas.ProcessesQuery,
    success: { status: 200, body: schemas.Processes },
  },
  updateProcess: {
    ...patch("/v1/projects/:project_id/processes/:process", token("deployments:write")),
    params: ProcessParams,
    body: schemas.UpdateProcessInput,
    success: { status: 200, body: schemas.ProcessUpdated },
    problems: ["queue_full", "secrets_not_sealed", "agent_outdated", "too_many"],
  },
  restartProcess: {
    ...post("/v1/projects/:project_id/processes/:process/restart", token("deployments:write")),
    params: ProcessParams,
    ...start,
  },
  stopProcess: {
    ...post("/v1/projects/:project_id/processes/:process/stop", token("deployments:write")),
    params: ProcessParams,
    ...startWithSetting,
  },
  startProcess: {
    ...post("/v1/projects/:project_id/processes/:process/start", token("deployments:write")),
    params: ProcessParams,
    ...startWithSetting,
  },
  applyConfig: {
    ...post("/v1/projects/:project_id/apply", token("deployments:write")),
    params: ProjectParams,
    ...start,
  },
} as const satisfies Record<string, Endpoint>;
