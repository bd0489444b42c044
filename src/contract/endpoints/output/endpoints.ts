import * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { get, token } from "#contract/endpoints/endpoint-defaults.ts";
import { AppOutput, OutputQuery } from "#contract/endpoints/output/schemas.ts";
import { ProjectId } from "#contract/ids.ts";

export const outputEndpoints = {
  getOutput: {
    ...get("/v1/projects/:project_id/output", token("deployments:read")),
    params: z.strictObject({ project_id: ProjectId }),
    query: OutputQuery,
    success: { status: 200, body: AppOutput },
    alsoAs: ["text/event-stream"],
    problems: ["agent_outdated", "server_offline", "too_many_followers"],
  },
} as const satisfies Record<string, Endpoint>;
