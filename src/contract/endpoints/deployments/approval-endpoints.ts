import * as z from "zod/mini";

import { ApproveInput, Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { post, token } from "#contract/endpoints/endpoint-defaults.ts";
import { DeploymentId } from "#contract/ids.ts";

export const approvalEndpoints = {
  approveDeployment: {
    ...post("/v1/deployments/:deployment_id/approve", token("deployments:approve")),
    params: z.strictObject({ deployment_id: DeploymentId }),
    body: ApproveInput,
    success: { status: 200, body: Deployment },
    problems: [
      "not_approvable",
      "own_deployment",
      "person_required",
      "commit_unknown",
      "commit_changed",
      "hold_changed",
    ],
  },
} as const satisfies Record<string, Endpoint>;
