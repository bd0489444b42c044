import { answer, answerPage } from "#worker/http/answers.ts";
import type { TokenHandlers } from "#worker/http/handler.ts";
import { createProject } from "#worker/operations/create-project.ts";
import { getProject } from "#worker/operations/get-project.ts";
import { listProjects } from "#worker/operations/list-projects.ts";
import { listRollbackTargets } from "#worker/operations/list-rollback-targets.ts";

export const projectHandlers = {
  listProjects: (context, { query, url }) => answerPage(listProjects(context, query), url),
  createProject: (context, { body }) =>
    answer(createProject(context, body), ({ id }) => ({ location: `/v1/projects/${id}` })),
  getProject: (context, { params }) => answer(getProject(context, params.project_id)),
  listRollbackTargets: (context, { params }) => answer(listRollbackTargets(context, params.project_id)),
} satisfies Partial<TokenHandlers>;
