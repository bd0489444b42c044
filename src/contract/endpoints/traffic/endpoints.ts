import * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { post, token } from "#contract/endpoints/endpoint-defaults.ts";
import { SetMaintenanceInput, MaintenanceSet } from "#contract/endpoints/traffic/schemas.ts";
import { ProjectId } from "#contract/ids.ts";

const ProjectParams = z.strictObject({ project_id: ProjectId });

export const trafficEndpoints = {
  setMaintenance: {
    ...post("/v1/projects/:project_id/maintenance", token("deployments:write")),
    summary: "Turn maintenance on or off",
    params: ProjectParams,
    body: SetMaintenanceInput,
    success: { status: 200, body: MaintenanceSet },
  },
} as const satisfies Record<string, Endpoint>;
