import * as z from "zod/mini";

import { DomainChecks } from "#contract/endpoints/domains/schemas.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { get, token } from "#contract/endpoints/endpoint-defaults.ts";
import { ProjectId } from "#contract/ids.ts";

export const domainEndpoints = {
  checkDomains: {
    ...get("/v1/projects/:project_id/domains", token("projects:read")),
    params: z.strictObject({ project_id: ProjectId }),
    success: { status: 200, body: DomainChecks },
    problems: ["server_offline", "agent_outdated"],
  },
} as const satisfies Record<string, Endpoint>;
