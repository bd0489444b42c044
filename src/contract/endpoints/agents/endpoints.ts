import * as z from "zod/mini";

import { RunEvents, RunEventsAnswer } from "#contract/agent-events.ts";
import { EnrollInput, Enrolled } from "#contract/agent-protocol.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { post } from "#contract/endpoints/endpoint-defaults.ts";
import { DeploymentId } from "#contract/ids.ts";

const MAX_BODY_BYTES = 1024 * 1024;

/** The endpoints that only agents call. */
export const agentEndpoints = {
  enrollAgent: {
    ...post("/v1/agent/enroll", { by: "none" }),
    body: EnrollInput,
    success: { status: 201, body: Enrolled },
    problems: ["invalid_token", "protocol_mismatch", "rate_limited"],
  },
  reportRunEvents: {
    ...post("/v1/agent/deployments/:deployment_id/events", { by: "agent" }),
    params: z.strictObject({ deployment_id: DeploymentId }),
    body: RunEvents,
    maxBodyBytes: MAX_BODY_BYTES,
    success: { status: 200, body: RunEventsAnswer },
  },
} as const satisfies Record<string, Endpoint>;

/** The path of the parts of builds (`agentArtifactPath`). They are not in the endpoint table, because they are not JSON. */
export const AGENT_ARTIFACTS_PATH = "/v1/agent/artifacts/:project_id/:sha256/:part";

/** The path of the agent's WebSocket. It is not in the endpoint table, because it has no response body. */
export const AGENT_CONNECT_PATH = "/v1/agent/connect";
