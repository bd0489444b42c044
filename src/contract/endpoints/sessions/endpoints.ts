import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { post, remove, token } from "#contract/endpoints/endpoint-defaults.ts";
import { CreateSessionInput, SessionCreated } from "#contract/endpoints/sessions/schemas.ts";

export const sessionEndpoints = {
  createSession: {
    ...post("/v1/sessions", { by: "none" }),
    body: CreateSessionInput,
    success: { status: 201, body: SessionCreated },
    problems: ["invalid_token", "rate_limited"],
  },
  endSession: {
    ...remove("/v1/session", token(null)),
    success: { status: 204, body: null },
    problems: ["not_found"],
  },
} as const satisfies Record<string, Endpoint>;
