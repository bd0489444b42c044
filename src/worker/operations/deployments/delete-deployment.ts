import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findDeployment } from "#worker/db/deployments/find-deployment.ts";
import { notFound } from "#worker/operations/refusals.ts";

/** Deletes a deployment that is not live, and its log. Cancels it if it is running. */
export async function deleteDeployment(
  context: Context,
  projectId: ProjectId,
  id: DeploymentId,
): Promise<Result<null, "not_found" | "deployment_live" | "deployment_activating" | "unavailable">> {
  const deployment = await findDeployment(context.rows, id);
  if (deployment === null || deployment.projectId !== projectId) {
    return notFound("deployment");
  }
  const owner = { accountId: context.account.id, projectId };
  const deleted = await context.lanes.getByName(projectId).delete(owner, id, context.token.name);
  if (!deleted.ok) return deleted;
  context.session.note(deleted.value.bookmark);
  return succeed(null);
}
