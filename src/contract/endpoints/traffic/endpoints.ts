import * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { post, token } from "#contract/endpoints/endpoint-defaults.ts";
import { PauseProjectInput, ProjectPause } from "#contract/endpoints/traffic/pause.ts";
import { SetMaintenanceInput, MaintenanceSet } from "#contract/endpoints/traffic/schemas.ts";
import { ProjectId } from "#contract/ids.ts";

const ProjectParams = z.strictObject({ project_id: ProjectId });

const access = token("deployments:write");
const problems = ["server_offline", "agent_outdated", "not_live", "no_ingress"] as const;

export const trafficEndpoints = {
  setMaintenance: {
    ...post("/v1/projects/:project_id/maintenance", access),
    params: ProjectParams,
    body: SetMaintenanceInput,
    success: { status: 200, body: MaintenanceSet },
  },
  pauseProject: {
    ...post("/v1/projects/:project_id/pause", access),
    params: ProjectParams,
    body: PauseProjectInput,
    success: { status: 200, body: ProjectPause },
    problems,
  },
  resumeProject: {
    ...post("/v1/projects/:project_id/resume", access),
    params: ProjectParams,
    body: z.strictObject({}),
    success: { status: 200, body: ProjectPause },
    problems,
  },
} as const satisfies Record<string, Endpoint>;
