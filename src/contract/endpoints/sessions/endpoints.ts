import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { NoParams, plain, token } from "#contract/endpoints/endpoint-defaults.ts";
import { CreateSessionInput, SessionCreated } from "#contract/endpoints/sessions/schemas.ts";

/** The endpoints for a person's sessions. */
export const sessionEndpoints = {
  createSession: {
    ...plain,
    method: "POST",
    path: "/v1/sessions",
    access: { by: "none" },
    summary: "Exchange the code of a sign-in link for a session",
    params: NoParams,
    body: CreateSessionInput,
    success: { status: 201, body: SessionCreated },
    problems: ["invalid_token", "rate_limited"],
  },
  endSession: {
    ...plain,
    method: "DELETE",
    path: "/v1/session",
    access: token(null),
    summary: "Sign out: end the current session",
    params: NoParams,
    success: { status: 204, body: null },
    problems: ["not_found"],
  },
} as const satisfies Record<string, Endpoint>;
