import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import type { Context } from "#worker/context.ts";
import { findProject, type ProjectRecord } from "#worker/db/projects/find-project.ts";
import { findServing } from "#worker/db/projects/find-serving.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { projectView } from "#worker/views/project-view.ts";

/** Returns a project with its settings and the release that its server serves. */
export async function getProject(context: Context, id: ProjectId): Promise<Result<Project, "not_found">> {
  const project = await findProject(context.rows, id);
  return project === null ? notFound("project") : await projectWithServing(context, project);
}

/** As `getProject`, for a project that was read already. */
export async function projectWithServing(
  { rows }: Context,
  project: ProjectRecord,
): Promise<Result<Project, never>> {
  const serving = project.servingCheckedAt === null ? null : await findServing(rows, project.id);
  return succeed(projectView(project, serving));
}
