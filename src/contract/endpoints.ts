import * as z from "zod/mini";

import { Account, Health, UpdateAccountInput } from "#contract/account.ts";
import { EnrollInput, Enrolled, RunEvents, RunEventsAnswer } from "#contract/agent-protocol.ts";
import {
  DeployInput,
  Deployment,
  DeploymentRows,
  Deployments,
  DeploymentsQuery,
  DeploymentStarted,
  ProjectDeploymentsQuery,
  RollbackInput,
  RollbackTargets,
  StartDeploymentInput,
} from "#contract/deployments.ts";
import type { Endpoint } from "#contract/endpoint.ts";
import { accountToken, NoParams, plain, token } from "#contract/endpoint-defaults.ts";
import { DeploymentId, ProjectId } from "#contract/ids.ts";
import { LogPage, LogQuery } from "#contract/logs.ts";
import {
  CreateProjectInput,
  DeleteProjectQuery,
  Project,
  ProjectRows,
  ProjectsQuery,
  UpdateProjectInput,
} from "#contract/projects.ts";
import { serverEndpoints } from "#contract/server-endpoints.ts";
import { sessionEndpoints } from "#contract/session-endpoints.ts";
import { tokenEndpoints } from "#contract/token-endpoints.ts";

const MAX_AGENT_BODY_BYTES = 1024 * 1024;

const ProjectParams = z.strictObject({ project_id: ProjectId });
const DeploymentParams = z.strictObject({ deployment_id: DeploymentId });
const ProjectDeploymentParams = z.strictObject({
  project_id: ProjectId,
  deployment_id: DeploymentId,
});

/** Every endpoint that the Worker answers, by operation name. */
export const endpoints = {
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
    summary: "Cancel a deployment that has not been activated",
    params: DeploymentParams,
    body: z.strictObject({}),
    success: { status: 200, body: Deployment },
    problems: ["not_cancelable"],
  },
  getDeploymentLog: {
    ...plain,
    method: "GET",
    path: "/v1/logs/:deployment_id",
    access: token("deployments:read"),
    summary: "Get the log of a deployment",
    params: DeploymentParams,
    query: LogQuery,
    success: { status: 200, body: LogPage },
    alsoAs: ["text/plain", "application/x-ndjson", "text/event-stream"],
    problems: ["log_expired"],
  },
  rollBack: {
    ...plain,
    method: "POST",
    path: "/v1/rollback",
    access: token("deployments:write"),
    summary: "Go back to a deployment that was live before",
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
    summary: "List what a project can be rolled back to, newest first",
    params: ProjectParams,
    success: { status: 200, body: RollbackTargets },
  },
  listProjects: {
    ...plain,
    method: "GET",
    path: "/v1/projects",
    access: token("projects:read"),
    summary: "List projects, newest first",
    params: NoParams,
    query: ProjectsQuery,
    success: { status: 200, body: ProjectRows },
  },
  createProject: {
    ...plain,
    method: "POST",
    path: "/v1/projects",
    access: accountToken("projects:write"),
    summary: "Create a project",
    params: NoParams,
    body: CreateProjectInput,
    success: { status: 201, body: Project },
    problems: ["name_taken", "domain_taken", "too_many"],
  },
  getProject: {
    ...plain,
    method: "GET",
    path: "/v1/projects/:project_id",
    access: token("projects:read"),
    summary: "Get a project with its settings",
    params: ProjectParams,
    success: { status: 200, body: Project },
  },
  updateProject: {
    ...plain,
    method: "PATCH",
    path: "/v1/projects/:project_id",
    access: token("projects:write"),
    summary: "Change a project's settings, for the deployments that start from now on",
    params: ProjectParams,
    body: UpdateProjectInput,
    success: { status: 200, body: Project },
    problems: ["name_taken", "domain_taken"],
  },
  deleteProject: {
    ...plain,
    method: "DELETE",
    path: "/v1/projects/:project_id",
    access: token("projects:write"),
    summary: "Delete a project with its deployments and logs",
    params: ProjectParams,
    query: DeleteProjectQuery,
    success: { status: 204, body: null },
    problems: ["project_busy", "unavailable"],
  },
  ...serverEndpoints,
  ...tokenEndpoints,
  ...sessionEndpoints,
  getAccount: {
    ...plain,
    method: "GET",
    path: "/v1/account",
    access: token(null),
    summary: "Get the account and the token that asks",
    params: NoParams,
    success: { status: 200, body: Account },
  },
  updateAccount: {
    ...plain,
    method: "PATCH",
    path: "/v1/account",
    access: accountToken("account:write"),
    summary: "Change the account's settings",
    params: NoParams,
    body: UpdateAccountInput,
    success: { status: 200, body: Account },
  },
  enrollAgent: {
    ...plain,
    method: "POST",
    path: "/v1/agent/enroll",
    access: { by: "none" },
    summary: "Trade an enrolment token for an agent's credential",
    params: NoParams,
    body: EnrollInput,
    success: { status: 201, body: Enrolled },
    problems: ["invalid_token", "protocol_mismatch", "rate_limited"],
  },
  reportRunEvents: {
    ...plain,
    method: "POST",
    path: "/v1/agent/deployments/:deployment_id/events",
    access: { by: "agent" },
    summary: "Report what happened in a run, and learn what to do now",
    params: DeploymentParams,
    body: RunEvents,
    maxBodyBytes: MAX_AGENT_BODY_BYTES,
    success: { status: 200, body: RunEventsAnswer },
  },
  getHealth: {
    ...plain,
    method: "GET",
    path: "/healthz",
    access: { by: "none" },
    summary: "Tell whether the control plane and its database answer",
    params: NoParams,
    success: { status: 200, body: Health },
    problems: ["unavailable"],
  },
} as const satisfies Record<string, Endpoint>;

export type Endpoints = typeof endpoints;
export type OperationName = keyof Endpoints;

/** The agent's link is a WebSocket upgrade, not a request with an answer, so it stands beside the table. */
export const AGENT_CONNECT_PATH = "/v1/agent/connect";
