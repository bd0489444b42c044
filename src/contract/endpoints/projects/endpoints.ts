import * as z from "zod/mini";

import { DeployKey } from "#contract/endpoints/projects/repository-access.ts";
import * as schemas from "#contract/endpoints/projects/schemas.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { accountToken, get, remove, token } from "#contract/endpoints/endpoint-defaults.ts";
import { ProjectId } from "#contract/ids.ts";
import { PageQuery } from "#contract/paging.ts";

export const ProjectParams = z.strictObject({ project_id: ProjectId });

/** Who can call `createProject`: the first page of the dashboard shows a button for it. */
export const toCreateProjects = accountToken("projects:write");

export const projectEndpoints = {
  listProjects: {
    ...get("/v1/projects", token("projects:read")),
    query: PageQuery,
    success: { status: 200, body: schemas.ProjectRows },
  },
  getProject: {
    ...get("/v1/projects/:project_id", token("projects:read")),
    params: ProjectParams,
    success: { status: 200, body: schemas.Project },
  },
  getDeployKey: {
    ...get("/v1/projects/:project_id/deploy-key", token("projects:read")),
    params: ProjectParams,
    success: { status: 200, body: DeployKey },
    problems: ["server_offline", "agent_outdated"],
  },
  deleteProject: {
    ...remove("/v1/projects/:project_id", token("projects:write")),
    params: ProjectParams,
    query: schemas.DeleteProjectQuery,
    success: { status: 204, body: null },
    problems: ["project_busy", "reauthentication_required", "unavailable"],
  },
} as const satisfies Record<string, Endpoint>;
