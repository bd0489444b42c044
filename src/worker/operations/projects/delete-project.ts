import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findProject } from "#worker/db/projects/find-project.ts";
import { notFound } from "#worker/operations/not-found.ts";

export type DeleteProject = {
  id: ProjectId;
  /** Also remove its files from its server. */
  purge: boolean;
};

/**
 * Deletes a project that nothing runs or waits for, with its deployments and their logs. The lane decides it, so that
 * no start comes in between.
 */
export async function deleteProject(
  context: Context,
  { id, purge }: DeleteProject,
): Promise<Result<null, "not_found" | "project_busy" | "unavailable">> {
  const project = await findProject(context.rows, id);
  if (project === null) return notFound("project");
  const owner = { accountId: context.account.id, projectId: id };
  const { serverId } = project;
  const deleted = await context.lanes.getByName(id).deleteProject(owner, { serverId, purge });
  if (!deleted.ok) return deleted;
  context.session.note(deleted.value.bookmark);
  return succeed(null);
}
