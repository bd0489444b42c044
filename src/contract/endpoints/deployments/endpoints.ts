import * as z from "zod/mini";

import {
  Deployment,
  DeploymentStarted,
  StartDeploymentInput,
  DeployInput,
  RollbackInput,
  ProjectDeploymentsQuery,
  DeploymentsQuery,
  DeploymentRows,
  Deployments,
  RollbackTargets,
} from "#contract/endpoints/deployments/schemas.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { NoParams, plain, token } from "#contract/endpoints/endpoint-defaults.ts";
import { DeploymentId, ProjectId } from "#contract/ids.ts";

const ProjectParams = z.strictObject({ project_id: ProjectId });
const DeploymentParams = z.strictObject({ deployment_id: DeploymentId });
const ProjectDeploymentParams = z.strictObject({
  project_id: ProjectId,
  deployment_id: DeploymentId,
});

/** The endpoints for deployments and rollbacks. */
export const deploymentEndpoints = {
  listProjectDeployments: {
    ...plain,
    method: "GET",
    path: "/v1/projects/:project_id/deployments",
    access: token("deployments:read"),
    summary: "List the deployments of a project, newest first",
    params: ProjectParams,
    query: ProjectDeploymentsQuery,
    success: { status: 200, body: DeploymentRows },
  },
  startDeployment: {
    ...plain,
    method: "POST",
    path: "/v1/projects/:project_id/deployments",
    access: token("deployments:write"),
    summary: "Start a deployment of a project",
    params: ProjectParams,
    body: StartDeploymentInput,
    success: { status: 201, body: DeploymentStarted },
    problems: ["queue_full", "live_changed"],
  },
  getProjectDeployment: {
    ...plain,
    method: "GET",
    path: "/v1/projects/:project_id/deployments/:deployment_id",
    access: token("deployments:read"),
    summary: "Get a deployment of a project",
    params: ProjectDeploymentParams,
    success: { status: 200, body: Deployment },
  },
  deleteDeployment: {
    ...plain,
    method: "DELETE",
    path: "/v1/projects/:project_id/deployments/:deployment_id",
    access: token("deployments:write"),
    summary: "Delete a deployment and its log",
    params: ProjectDeploymentParams,
    success: { status: 204, body: null },
    problems: ["deployment_live", "deployment_activating"],
  },
  deploy: {
    ...plain,
    method: "POST",
    path: "/v1/deploy",
    access: token("deployments:write"),
    summary: "Start a deployment",
    params: NoParams,
    body: DeployInput,
    success: { status: 201, body: DeploymentStarted },
    problems: ["not_found", "queue_full", "live_changed"],
  },
  listDeployments: {
    ...plain,
    method: "GET",
    path: "/v1/deployments",
    access: token("deployments:read"),
    summary: "List the deployments of all projects, newest first",
    params: NoParams,
    query: DeploymentsQuery,
    success: { status: 200, body: Deployments },
  },
  getDeployment: {
    ...plain,
    method: "GET",
    path: "/v1/deployments/:deployment_id",
    access: token("deployments:read"),
    summary: "Get a deployment",
    params: DeploymentParams,
    success: { status: 200, body: Deployment },
  },
  cancelDeployment: {
    ...plain,
    method: "POST",
    path: "/v1/deployments/:deployment_id/cancel",
    access: token("deployments:write"),
    summary: "Cancel a deployment",
    params: DeploymentParams,
    body: z.strictObject({}),
    success: { status: 200, body: Deployment },
    problems: ["not_cancelable"],
  },
  rollBack: {
    ...plain,
    method: "POST",
    path: "/v1/rollback",
    access: token("deployments:write"),
    summary: "Roll back to an earlier deployment",
    params: NoParams,
    body: RollbackInput,
    success: { status: 201, body: DeploymentStarted },
    problems: ["not_found", "already_live", "no_rollback_target", "queue_full", "live_changed"],
  },
  listRollbackTargets: {
    ...plain,
    method: "GET",
    path: "/v1/projects/:project_id/rollback-targets",
    access: token("deployments:read"),
    summary: "List the rollback targets of a project, newest first",
    params: ProjectParams,
    success: { status: 200, body: RollbackTargets },
  },
} as const satisfies Record<string, Endpoint>;
