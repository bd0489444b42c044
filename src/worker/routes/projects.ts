import { projectChangeEndpoints } from "#contract/endpoints/projects/change-endpoints.ts";
import { projectEndpoints } from "#contract/endpoints/projects/endpoints.ts";
import { answer, answerPage } from "#worker/http/responses.ts";
import { forTokens } from "#worker/http/routes.ts";
import { createProject } from "#worker/operations/projects/create-project.ts";
import { deleteProject } from "#worker/operations/projects/delete-project.ts";
import { getDeployKey } from "#worker/operations/repositories/deploy-key.ts";
import { getProject, listProjects } from "#worker/operations/projects/read-projects.ts";
import { testRepository } from "#worker/operations/repositories/ask-for-repository.ts";
import { updateProject } from "#worker/operations/projects/update-project.ts";

const rows = { ...projectEndpoints, ...projectChangeEndpoints };

export const projectRoutes = forTokens(rows, {
  listProjects: (context, { query, url }) => answerPage(listProjects(context, query), url),
  createProject: (context, { body }) =>
    answer(createProject(context, body), ({ id }) => ({ location: `/v1/projects/${id}` })),
  getProject: (context, { params }) => answer(getProject(context, params.project_id)),
  updateProject: (context, { params, body }) => answer(updateProject(context, params.project_id, body)),
  getDeployKey: (context, { params }) => answer(getDeployKey(context, params.project_id)),
  testRepository: (context, { params, body }) => answer(testRepository(context, params.project_id, body)),
  deleteProject: (context, { params, query }) =>
    answer(deleteProject(context, { id: params.project_id, purge: query.purge ?? false })),
});
