import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { person, post } from "#contract/endpoints/endpoint-defaults.ts";
import * as schemas from "#contract/endpoints/connect/schemas.ts";

/** The sign-in of a command by the browser: a person allows it on a page, and the command takes its token. */
export const connectEndpoints = {
  connectCommand: {
    ...post("/v1/tokens/connect", person),
    body: schemas.ConnectInput,
    success: { status: 201, body: schemas.ConnectGrant },
    problems: ["insufficient_scope", "reauthentication_required", "too_many"],
  },
  claimToken: {
    ...post("/v1/tokens/claim", { by: "none" }),
    body: schemas.ClaimTokenInput,
    success: { status: 200, body: schemas.ClaimedToken },
    problems: ["rate_limited", "sign_in_pending"],
  },
} as const satisfies Record<string, Endpoint>;
