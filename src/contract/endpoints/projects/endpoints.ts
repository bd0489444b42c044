import * as z from "zod/mini";

import {
  DeployKey,
  RepositoryTest,
  TestRepositoryInput,
} from "#contract/endpoints/projects/repository-access.ts";
import * as schemas from "#contract/endpoints/projects/schemas.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { accountToken, get, patch, post, remove, token } from "#contract/endpoints/endpoint-defaults.ts";
import { ProjectId } from "#contract/ids.ts";
import { PageQuery } from "#contract/paging.ts";

const ProjectParams = z.strictObject({ project_id: ProjectId });

export const projectEndpoints = {
  listProjects: {
    ...get("/v1/projects", token("projects:read")),
    query: PageQuery,
    success: { status: 200, body: schemas.ProjectRows },
  },
  createProject: {
    ...post("/v1/projects", accountToken("projects:write")),
    body: schemas.CreateProjectInput,
    success: { status: 201, body: schemas.Project },
    problems: ["name_taken", "domain_taken", "too_many", "no_seal_key", "agent_outdated"],
  },
  getProject: {
    ...get("/v1/projects/:project_id", token("projects:read")),
    params: ProjectParams,
    success: { status: 200, body: schemas.Project },
  },
  updateProject: {
    ...patch("/v1/projects/:project_id", token("projects:write")),
    params: ProjectParams,
    body: schemas.UpdateProjectInput,
    success: { status: 200, body: schemas.Project },
    problems: [
      "name_taken",
      "domain_taken",
      "too_many",
      "no_seal_key",
      "revision_conflict",
      "reauthentication_required",
      "agent_outdated",
    ],
  },
  getDeployKey: {
    ...get("/v1/projects/:project_id/deploy-key", token("projects:read")),
    params: ProjectParams,
    success: { status: 200, body: DeployKey },
    problems: ["server_offline", "agent_outdated"],
  },
  testRepository: {
    ...post("/v1/projects/:project_id/repository-test", token("projects:write")),
    params: ProjectParams,
    body: TestRepositoryInput,
    success: { status: 200, body: RepositoryTest },
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
