import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findDeployment } from "#worker/db/deployments/find-deployment.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { deploymentView } from "#worker/views/deployment-view.ts";

/** Returns a deployment with all details. */
export async function getDeployment(
  context: Context,
  id: DeploymentId,
): Promise<Result<Deployment, "not_found">> {
  const reading = await findDeployment(context.rows, id);
  if (reading === null) return notFound("deployment");
  return succeed(deploymentView(reading, context.clock.now()));
}

/** As `getDeployment`, but only if the deployment belongs to this project. */
export async function getProjectDeployment(
  context: Context,
  projectId: ProjectId,
  id: DeploymentId,
): Promise<Result<Deployment, "not_found">> {
  const deployment = await getDeployment(context, id);
  if (deployment.ok && deployment.value.project_id !== projectId) return notFound("deployment");
  return deployment;
}
