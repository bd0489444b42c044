import * as z from "zod/mini";

import * as schemas from "#contract/endpoints/deployments/schemas.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { get, post, remove, token } from "#contract/endpoints/endpoint-defaults.ts";
import { DeploymentId, ProjectId } from "#contract/ids.ts";

const ProjectParams = z.strictObject({ project_id: ProjectId });
const DeploymentParams = z.strictObject({ deployment_id: DeploymentId });
const ProjectDeploymentParams = z.strictObject({
  project_id: ProjectId,
  deployment_id: DeploymentId,
});

const artifactProblems = ["artifact_not_allowed", "artifact_incomplete", "artifact_unreadable"] as const;

export const deploymentEndpoints = {
  listProjectDeployments: {
    ...get("/v1/projects/:project_id/deployments", token("deployments:read")),
    params: ProjectParams,
    query: schemas.ProjectDeploymentsQuery,
    success: { status: 200, body: schemas.DeploymentRows },
  },
  startDeployment: {
    ...post("/v1/projects/:project_id/deployments", token("deployments:write")),
    params: ProjectParams,
    body: schemas.StartDeploymentInput,
    success: { status: 201, body: schemas.DeploymentStarted },
    problems: [
      "queue_full",
      "live_changed",
      "secrets_not_sealed",
      "agent_outdated",
      "containers_missing",
      ...artifactProblems,
    ],
  },
  getProjectDeployment: {
    ...get("/v1/projects/:project_id/deployments/:deployment_id", token("deployments:read")),
    params: ProjectDeploymentParams,
    success: { status: 200, body: schemas.Deployment },
  },
  deleteDeployment: {
    ...remove("/v1/projects/:project_id/deployments/:deployment_id", token("deployments:write")),
    params: ProjectDeploymentParams,
    success: { status: 204, body: null },
    problems: ["deployment_live", "deployment_activating"],
  },
  deploy: {
    ...post("/v1/deploy", token("deployments:write")),
    body: schemas.DeployInput,
    success: { status: 201, body: schemas.DeploymentStarted },
    problems: [
      "not_found",
      "queue_full",
      "live_changed",
      "secrets_not_sealed",
      "agent_outdated",
      "containers_missing",
      ...artifactProblems,
    ],
  },
  listDeployments: {
    ...get("/v1/deployments", token("deployments:read")),
    query: schemas.DeploymentsQuery,
    success: { status: 200, body: schemas.Deployments },
  },
  getDeployment: {
    ...get("/v1/deployments/:deployment_id", token("deployments:read")),
    params: DeploymentParams,
    success: { status: 200, body: schemas.Deployment },
  },
  cancelDeployment: {
    ...post("/v1/deployments/:deployment_id/cancel", token("deployments:write")),
    params: DeploymentParams,
    body: z.strictObject({}),
    success: { status: 200, body: schemas.Deployment },
    problems: ["not_cancelable"],
  },
  rollBack: {
    ...post("/v1/rollback", token("deployments:write")),
    body: schemas.RollbackInput,
    success: { status: 201, body: schemas.DeploymentStarted },
    problems: [
      "not_found",
      "already_live",
      "no_rollback_target",
      "queue_full",
      "live_changed",
      "secrets_not_sealed",
      "agent_outdated",
    ],
  },
  listRollbackTargets: {
    ...get("/v1/projects/:project_id/rollback-targets", token("deployments:read")),
    params: ProjectParams,
    success: { status: 200, body: schemas.RollbackTargets },
  },
} as const satisfies Record<string, Endpoint>;
