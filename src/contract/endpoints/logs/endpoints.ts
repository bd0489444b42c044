import * as z from "zod/mini";

import { LogQuery, LogPage } from "#contract/endpoints/logs/schemas.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { get, token } from "#contract/endpoints/endpoint-defaults.ts";
import { DeploymentId } from "#contract/ids.ts";

export const logEndpoints = {
  getDeploymentLog: {
    ...get("/v1/logs/:deployment_id", token("deployments:read")),
    params: z.strictObject({ deployment_id: DeploymentId }),
    query: LogQuery,
    success: { status: 200, body: LogPage },
    alsoAs: ["text/plain", "application/x-ndjson", "text/event-stream"],
    problems: ["log_expired", "too_many_followers"],
  },
} as const satisfies Record<string, Endpoint>;
