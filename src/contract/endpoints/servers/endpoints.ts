import * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { accountToken, get, patch, post, remove, token } from "#contract/endpoints/endpoint-defaults.ts";
import { ServerId } from "#contract/ids.ts";
import {
  CreateServerInput,
  Enrollment,
  Server,
  ServerCreated,
  ServerRows,
  ServersQuery,
  UpdateServerInput,
} from "#contract/endpoints/servers/schemas.ts";

const ServerParams = z.strictObject({ server_id: ServerId });

/** The endpoints for servers. */
export const serverEndpoints = {
  listServers: {
    ...get("/v1/servers", token("servers:read")),
    summary: "List servers, newest first",
    query: ServersQuery,
    success: { status: 200, body: ServerRows },
  },
  createServer: {
    ...post("/v1/servers", accountToken("servers:write")),
    summary: "Register a server",
    body: CreateServerInput,
    success: { status: 201, body: ServerCreated },
    problems: ["name_taken", "too_many"],
  },
  getServer: {
    ...get("/v1/servers/:server_id", token("servers:read")),
    summary: "Get a server",
    params: ServerParams,
    success: { status: 200, body: Server },
  },
  updateServer: {
    ...patch("/v1/servers/:server_id", accountToken("servers:write")),
    summary: "Change a server",
    params: ServerParams,
    body: UpdateServerInput,
    success: { status: 200, body: Server },
    problems: ["name_taken"],
  },
  deleteServer: {
    ...remove("/v1/servers/:server_id", accountToken("servers:write")),
    summary: "Delete a server",
    params: ServerParams,
    success: { status: 204, body: null },
    problems: ["server_in_use"],
  },
  createEnrollment: {
    ...post("/v1/servers/:server_id/enrollment", accountToken("servers:write")),
    summary: "Create an enrolment token",
    params: ServerParams,
    body: z.strictObject({}),
    success: { status: 201, body: Enrollment },
  },
} as const satisfies Record<string, Endpoint>;
