import * as z from "zod/mini";

import * as schemas from "#contract/endpoints/commands/schemas.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { get, post, token } from "#contract/endpoints/endpoint-defaults.ts";
import { CommandId, ProjectId } from "#contract/ids.ts";
import { PageQuery } from "#contract/paging.ts";

const ProjectParams = z.strictObject({ project_id: ProjectId });
const CommandParams = z.strictObject({ project_id: ProjectId, command_id: CommandId });

const access = token("commands:run");

/** The answer has to come from the server. */
const fromServer = ["server_offline", "agent_outdated"] as const;

export const commandEndpoints = {
  runCommand: {
    ...post("/v1/projects/:project_id/commands", access),
    params: ProjectParams,
    body: schemas.RunCommandInput,
    success: { status: 201, body: schemas.CommandRun },
    problems: [...fromServer, "not_live", "refused_by_policy", "secrets_not_sealed", "too_many"],
  },
  listCommands: {
    ...get("/v1/projects/:project_id/commands", access),
    params: ProjectParams,
    query: PageQuery,
    success: { status: 200, body: schemas.CommandRows },
  },
  getCommand: {
    ...get("/v1/projects/:project_id/commands/:command_id", access),
    params: CommandParams,
    success: { status: 200, body: schemas.CommandRun },
    problems: fromServer,
  },
  getCommandOutput: {
    ...get("/v1/projects/:project_id/commands/:command_id/output", access),
    params: CommandParams,
    query: schemas.CommandOutputQuery,
    success: { status: 200, body: schemas.CommandOutput },
    problems: fromServer,
  },
  stopCommand: {
    ...post("/v1/projects/:project_id/commands/:command_id/stop", access),
    params: CommandParams,
    body: z.strictObject({}),
    success: { status: 200, body: schemas.CommandRun },
    problems: fromServer,
  },
} as const satisfies Record<string, Endpoint>;
