import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import { refuse, type Result } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findDeployment } from "#worker/db/deployments/find-deployment.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { requestEntry } from "#worker/operations/changes/request-changes.ts";
import { deploymentTarget } from "#worker/views/audit-view.ts";
import { actorOf } from "#worker/operations/deployments/lane-command.ts";
import { getDeployment } from "#worker/operations/deployments/get-deployment.ts";

/** Cancels a deployment that was not activated yet, and returns it. */
export async function cancelDeployment(
  context: Context,
  id: DeploymentId,
): Promise<Result<Deployment, "not_found" | "not_cancelable" | "unavailable">> {
  const deployment = await findDeployment(context.rows, id);
  if (deployment === null) return notFound("deployment");
  // The lane may have dropped a deployment that has ended, so D1 decides this.
  if (deployment.status !== "building") {
    return refuse("not_cancelable", `v${deployment.version} has ended. Its status is ${deployment.status}.`);
  }
  const { projectId } = deployment;
  const owner = { accountId: context.account.id, projectId };
  const audit = requestEntry(context, { target: deploymentTarget(deployment), projectId });
  const command = { owner, id, actor: actorOf(context), audit };
  const canceled = await context.lanes.getByName(projectId).cancel(command);
  if (!canceled.ok) return canceled;
  context.session.note(canceled.value.bookmark);
  return await getDeployment(context, id);
}
