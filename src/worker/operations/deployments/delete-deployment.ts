import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { storedChange } from "#worker/db/changes/stored-change.ts";
import { findDeploymentOfProject } from "#worker/db/deployments/find-deployment.ts";
import { requestEntry, requestEvent } from "#worker/operations/changes/request-changes.ts";
import { deploymentTarget } from "#worker/views/audit-view.ts";
import { actorOf } from "#worker/operations/deployments/lane-command.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { eventDeployment, eventProject } from "#worker/views/event-view.ts";

/** Deletes a deployment that is not live, and its log. Cancels it if it is running. */
export async function deleteDeployment(
  context: Context,
  projectId: ProjectId,
  id: DeploymentId,
): Promise<Result<null, "not_found" | "deployment_live" | "deployment_activating" | "unavailable">> {
  const deployment = await findDeploymentOfProject(context.rows, id);
  if (deployment === null || deployment.projectId !== projectId) {
    return notFound("deployment");
  }
  const owner = { accountId: context.account.id, projectId };
  const event = requestEvent(context, {
    type: "deployment.deleted",
    data: {
      project: eventProject({ ...deployment.project, id: projectId }),
      deployment: eventDeployment(deployment, context.clock.now()),
      replaced_by: null,
    },
  });
  const audit = requestEntry(context, { target: deploymentTarget(deployment), projectId });
  const command = { owner, id, actor: actorOf(context), change: storedChange(event, audit) };
  const deleted = await context.lanes.getByName(projectId).delete(command);
  if (!deleted.ok) return deleted;
  context.session.note(deleted.value.bookmark);
  return succeed(null);
}
