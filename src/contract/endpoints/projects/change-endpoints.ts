import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { patch, post, token } from "#contract/endpoints/endpoint-defaults.ts";
import { ProjectParams, toCreateProjects } from "#contract/endpoints/projects/endpoints.ts";
import {
  CreateProjectInput,
  TestRepositoryInput,
  UpdateProjectInput,
} from "#contract/endpoints/projects/project-inputs.ts";
import { RepositoryTest } from "#contract/endpoints/projects/repository-access.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";

/** The endpoints that take settings of a project. The first page of the dashboard needs none of their schemas. */
export const projectChangeEndpoints = {
  createProject: {
    ...post("/v1/projects", toCreateProjects),
    body: CreateProjectInput,
    success: { status: 201, body: Project },
    problems: ["name_taken", "domain_taken", "too_many", "no_seal_key", "agent_outdated"],
  },
  updateProject: {
    ...patch("/v1/projects/:project_id", token("projects:write")),
    params: ProjectParams,
    body: UpdateProjectInput,
    success: { status: 200, body: Project },
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
  testRepository: {
    ...post("/v1/projects/:project_id/repository-test", token("projects:write")),
    params: ProjectParams,
    body: TestRepositoryInput,
    success: { status: 200, body: RepositoryTest },
    problems: ["server_offline", "agent_outdated"],
  },
} as const satisfies Record<string, Endpoint>;
