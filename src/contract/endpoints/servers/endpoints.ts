import * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { accountToken, get, patch, post, remove, token } from "#contract/endpoints/endpoint-defaults.ts";
import { DrainSet } from "#contract/endpoints/servers/drain.ts";
import { ServerId } from "#contract/ids.ts";
import { PageQuery } from "#contract/paging.ts";
import * as schemas from "#contract/endpoints/servers/schemas.ts";

const ServerParams = z.strictObject({ server_id: ServerId });

export const serverEndpoints = {
  listServers: {
    ...get("/v1/servers", token("servers:read")),
    query: PageQuery,
    success: { status: 200, body: schemas.ServerRows },
  },
  createServer: {
    ...post("/v1/servers", accountToken("servers:write")),
    body: schemas.CreateServerInput,
    success: { status: 201, body: schemas.ServerCreated },
    problems: ["name_taken", "too_many"],
  },
  getServer: {
    ...get("/v1/servers/:server_id", token("servers:read")),
    params: ServerParams,
    success: { status: 200, body: schemas.Server },
  },
  updateServer: {
    ...patch("/v1/servers/:server_id", accountToken("servers:write")),
    params: ServerParams,
    body: schemas.UpdateServerInput,
    success: { status: 200, body: schemas.Server },
    problems: ["name_taken"],
  },
  deleteServer: {
    ...remove("/v1/servers/:server_id", accountToken("servers:write")),
    params: ServerParams,
    success: { status: 204, body: null },
    problems: ["server_in_use"],
  },
  createEnrollment: {
    ...post("/v1/servers/:server_id/enrollment", accountToken("servers:write")),
    params: ServerParams,
    body: z.strictObject({}),
    success: { status: 201, body: schemas.Enrollment },
  },
  drainServer: {
    ...post("/v1/servers/:server_id/drain", accountToken("servers:write")),
    params: ServerParams,
    body: z.strictObject({}),
    success: { status: 200, body: DrainSet },
    problems: ["agent_outdated"],
  },
  undrainServer: {
    ...post("/v1/servers/:server_id/undrain", accountToken("servers:write")),
    params: ServerParams,
    body: z.strictObject({}),
    success: { status: 200, body: DrainSet },
  },
} as const satisfies Record<string, Endpoint>;
