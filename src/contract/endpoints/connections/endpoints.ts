import * as z from "zod/mini";

import * as schemas from "#contract/endpoints/connections/schemas.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { accountToken, get, patch, person, post, remove } from "#contract/endpoints/endpoint-defaults.ts";
import { ConnectionId } from "#contract/ids.ts";

const ConnectionParams = z.strictObject({ connection_id: ConnectionId });

/** How people sign in by a provider. Owners change it. */
export const connectionEndpoints = {
  listConnections: {
    ...get("/v1/connections", accountToken("members:read")),
    success: { status: 200, body: schemas.ConnectionRows },
  },
  createConnection: {
    ...post("/v1/connections", person),
    body: schemas.CreateConnectionInput,
    success: { status: 201, body: schemas.Connection },
    problems: ["person_required", "reauthentication_required", "provider_unreachable", "too_many"],
  },
  updateConnection: {
    ...patch("/v1/connections/:connection_id", person),
    params: ConnectionParams,
    body: schemas.UpdateConnectionInput,
    success: { status: 200, body: schemas.Connection },
    problems: ["person_required", "reauthentication_required", "sso_required"],
  },
  deleteConnection: {
    ...remove("/v1/connections/:connection_id", person),
    params: ConnectionParams,
    success: { status: 204, body: null },
    problems: ["person_required", "reauthentication_required"],
  },
  testConnection: {
    ...post("/v1/connections/:connection_id/test", person),
    params: ConnectionParams,
    body: schemas.TestConnectionInput,
    success: { status: 200, body: schemas.ConnectionTest },
    problems: ["person_required", "reauthentication_required", "sign_in_refused"],
  },
  getSignInOptions: {
    ...get("/v1/sign-in", { by: "none" }),
    query: schemas.SignInQuery,
    success: { status: 200, body: schemas.SignInOptions },
  },
  startSignIn: {
    ...post("/v1/sign-in/start", { by: "none" }),
    body: schemas.StartSignInInput,
    success: { status: 200, body: schemas.SignInStarted },
    problems: ["not_found", "provider_unreachable", "rate_limited"],
  },
  startProvider: {
    ...post("/v1/session/provider", person),
    body: schemas.StartProviderInput,
    success: { status: 200, body: schemas.SignInStarted },
    problems: ["not_found", "provider_unreachable"],
  },
} as const satisfies Record<string, Endpoint>;
