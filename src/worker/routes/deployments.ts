import { approvalEndpoints } from "#contract/endpoints/deployments/approval-endpoints.ts";
import { deploymentEndpoints } from "#contract/endpoints/deployments/endpoints.ts";
import type { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { answer, answerPage } from "#worker/http/responses.ts";
import { forTokens } from "#worker/http/routes.ts";
import {
  approveDeployment,
  cancelDeployment,
  deleteDeployment,
} from "#worker/operations/deployments/change-deployment.ts";
import {
  getDeployment,
  getProjectDeployment,
  listDeployments,
  listProjectDeployments,
  listRollbackTargets,
} from "#worker/operations/deployments/read-deployments.ts";
import { rollBack } from "#worker/operations/deployments/roll-back.ts";
import { startDeployment } from "#worker/operations/deployments/start-deployment.ts";

const rows = { ...deploymentEndpoints, ...approvalEndpoints };

export const deploymentRoutes = forTokens(rows, {
  listProjectDeployments: (context, { params, query, url }) =>
    answerPage(listProjectDeployments(context, params.project_id, query), url),
  startDeployment: (context, { params, body, ifLive }) =>
    answer(
      startDeployment(context, { projectId: params.project_id, input: body, ifLive }),
      deploymentLocation,
    ),
  getProjectDeployment: (context, { params }) =>
    answer(getProjectDeployment(context, params.project_id, params.deployment_id)),
  deleteDeployment: (context, { params }) =>
    answer(deleteDeployment(context, params.project_id, params.deployment_id)),
  deploy: (context, { body: { project_id: projectId, ...input }, ifLive }) =>
    answer(startDeployment(context, { projectId, input, ifLive }), deploymentLocation),
  listDeployments: (context, { query, url }) => answerPage(listDeployments(context, query), url),
  getDeployment: (context, { params }) => answer(getDeployment(context, params.deployment_id)),
  cancelDeployment: (context, { params }) => answer(cancelDeployment(context, params.deployment_id)),
  approveDeployment: (context, { params, body }) =>
    answer(approveDeployment(context, params.deployment_id, body)),
  rollBack: (context, { body, ifLive }) =>
    answer(rollBack(context, { input: body, ifLive }), deploymentLocation),
  listRollbackTargets: (context, { params }) => answer(listRollbackTargets(context, params.project_id)),
});

/** Where a deployment that was started can be read. */
export function deploymentLocation({ id }: DeploymentStarted) {
  return { location: `/v1/deployments/${id}` };
}
