import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { serversToNotify } from "#domain/fleet/fleet-state.ts";
import type { Context } from "#worker/context.ts";
import { storedChange } from "#worker/db/changes/stored-change.ts";
import { findProject } from "#worker/db/projects/find-project.ts";
import { settingsOf } from "#worker/db/projects/settings-column.ts";
import { projectFleetChanged } from "#worker/operations/projects/fleet-changed.ts";
import { requestEntry, requestEvent } from "#worker/operations/changes/request-changes.ts";
import { namedProject } from "#worker/operations/changes/targets.ts";
import { refuseUnconfirmed } from "#worker/operations/sessions/confirmation.ts";
import { notFound } from "#worker/operations/refusals.ts";

export type DeleteProject = {
  id: ProjectId;
  /** Also delete its files from its servers. */
  purge: boolean;
};

/**
 * Deletes a project without running or queued deployments, with its deployments and their logs. The lane decides, so
 * that no deployment can start at the same time.
 */
export async function deleteProject(
  context: Context,
  { id, purge }: DeleteProject,
): Promise<Result<null, "not_found" | "project_busy" | "reauthentication_required" | "unavailable">> {
  const unconfirmed = refuseUnconfirmed(context);
  if (unconfirmed !== null) return unconfirmed;
  const project = await findProject(context.rows, id);
  if (project === null) return notFound("project");
  const owner = { accountId: context.account.id, projectId: id };
  const { serverId } = project;
  const { target, reference } = namedProject(project);
  const event = requestEvent(context, { type: "project.deleted", data: { project: reference, changed: [] } });
  const change = storedChange(event, requestEntry(context, { target, projectId: id }));
  const lane = context.lanes.getByName(id, context.near(project.serverLocation));
  const deleted = await lane.deleteProject(owner, { serverId, purge }, change);
  if (!deleted.ok) return deleted;
  context.session.note(deleted.value.bookmark);
  const fleet = serversToNotify({ ...settingsOf(project), live: [] });
  if (fleet.length > 0) context.defer(projectFleetChanged(context, id, fleet));
  return succeed(null);
}
