import * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { accountToken, NoParams, plain, token } from "#contract/endpoints/endpoint-defaults.ts";
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
    ...plain,
    method: "GET",
    path: "/v1/servers",
    access: token("servers:read"),
    summary: "List servers, newest first",
    params: NoParams,
    query: ServersQuery,
    success: { status: 200, body: ServerRows },
  },
  createServer: {
    ...plain,
    method: "POST",
    path: "/v1/servers",
    access: accountToken("servers:write"),
    summary: "Register a server",
    params: NoParams,
    body: CreateServerInput,
    success: { status: 201, body: ServerCreated },
    problems: ["name_taken", "too_many"],
  },
  getServer: {
    ...plain,
    method: "GET",
    path: "/v1/servers/:server_id",
    access: token("servers:read"),
    summary: "Get a server",
    params: ServerParams,
    success: { status: 200, body: Server },
  },
  updateServer: {
    ...plain,
    method: "PATCH",
    path: "/v1/servers/:server_id",
    access: accountToken("servers:write"),
    summary: "Change a server",
    params: ServerParams,
    body: UpdateServerInput,
    success: { status: 200, body: Server },
    problems: ["name_taken"],
  },
  deleteServer: {
    ...plain,
    method: "DELETE",
    path: "/v1/servers/:server_id",
    access: accountToken("servers:write"),
    summary: "Delete a server",
    params: ServerParams,
    success: { status: 204, body: null },
    problems: ["server_in_use"],
  },
  createEnrollment: {
    ...plain,
    method: "POST",
    path: "/v1/servers/:server_id/enrollment",
    access: accountToken("servers:write"),
    summary: "Create an enrolment token",
    params: ServerParams,
    body: z.strictObject({}),
    success: { status: 201, body: Enrollment },
  },
} as const satisfies Record<string, Endpoint>;
