import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import type { Context } from "#worker/context.ts";
import { findProjectWithServing } from "#worker/db/projects/served-project.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { projectView } from "#worker/views/project-view.ts";

/** Returns a project with its settings and the release that its server serves. */
export async function getProject({ rows }: Context, id: ProjectId): Promise<Result<Project, "not_found">> {
  const found = await findProjectWithServing(rows, id);
  return found === null ? notFound("project") : succeed(projectView(found.project, found.serving));
}
