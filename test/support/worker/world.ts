import { Enrolled } from "#contract/agent-protocol.ts";
import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { endpoints, type OperationName } from "#contract/endpoints/endpoints.ts";
import type { DeploymentId, ProjectId, ServerId, TokenId } from "#contract/ids.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { createAccount, createToken, ids, newSecret, type TestAccount } from "./account.ts";
import { call } from "./call.ts";

/** An account that has one of everything; no agent is connected, so the deployment stays queued. */
export type World = {
  readonly account: TestAccount;
  readonly serverId: ServerId;
  readonly credential: string;
  readonly projectId: ProjectId;
  readonly deploymentId: DeploymentId;
  /** Of a token besides the account's own. */
  readonly tokenId: TokenId;
};

export async function createWorld(name = "shop"): Promise<World> {
  const account = await createAccount(`Account of ${name}`);
  const { token } = account;
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const response = await call(path, { method: "POST", token, body });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  };
  const server = ServerCreated.parse(await post("/v1/servers", { name: `${name}-1`, ip: "192.0.2.1" }));
  const enrollment = { token: server.enrollment.token, hostname: "shop", agent_version: "0.1.0" };
  const { credential } = Enrolled.parse(await post("/v1/agent/enroll", enrollment));
  const settings = { name, server_id: server.id, repository: "https://git.test/shop.git" };
  const project = Project.parse(await post("/v1/projects", settings));
  const started = DeploymentStarted.parse(await post(`/v1/projects/${project.id}/deployments`, {}));
  const other = await createToken(account.id, { name: `other of ${name}`, scopes: ["tokens:read"] });
  return {
    account,
    serverId: server.id,
    credential,
    projectId: project.id,
    deploymentId: started.id,
    tokenId: other.id,
  };
}

type Target = { readonly path: string; readonly body?: unknown };

/** A request that each operation takes, given what is there. An operation without one does not compile. */
export const requests: { readonly [Name in OperationName]: (world: World) => Target } = {
  listProjectDeployments: ({ projectId }) => ({ path: `/v1/projects/${projectId}/deployments` }),
  startDeployment: ({ projectId }) => ({ path: `/v1/projects/${projectId}/deployments`, body: {} }),
  getProjectDeployment: ({ projectId, deploymentId }) => ({
    path: `/v1/projects/${projectId}/deployments/${deploymentId}`,
  }),
  deleteDeployment: ({ projectId, deploymentId }) => ({
    path: `/v1/projects/${projectId}/deployments/${deploymentId}`,
  }),
  deploy: ({ projectId }) => ({ path: "/v1/deploy", body: { project_id: projectId } }),
  listDeployments: () => ({ path: "/v1/deployments" }),
  getDeployment: ({ deploymentId }) => ({ path: `/v1/deployments/${deploymentId}` }),
  cancelDeployment: ({ deploymentId }) => ({ path: `/v1/deployments/${deploymentId}/cancel`, body: {} }),
  getDeploymentLog: ({ deploymentId }) => ({ path: `/v1/logs/${deploymentId}` }),
  rollBack: ({ projectId }) => ({ path: "/v1/rollback", body: { project_id: projectId } }),
  listRollbackTargets: ({ projectId }) => ({ path: `/v1/projects/${projectId}/rollback-targets` }),
  listProjects: () => ({ path: "/v1/projects" }),
  createProject: ({ serverId }) => ({
    path: "/v1/projects",
    body: { name: "blog", server_id: serverId, repository: "/srv/git/blog.git" },
  }),
  getProject: ({ projectId }) => ({ path: `/v1/projects/${projectId}` }),
  updateProject: ({ projectId, serverId }) => ({
    path: `/v1/projects/${projectId}`,
    body: { name: "renamed", server_id: serverId, build_command: null, timeouts: { build_seconds: 900 } },
  }),
  deleteProject: ({ projectId }) => ({ path: `/v1/projects/${projectId}` }),
  listServers: () => ({ path: "/v1/servers" }),
  createServer: () => ({ path: "/v1/servers", body: { name: "web-2", ip: "192.0.2.2" } }),
  getServer: ({ serverId }) => ({ path: `/v1/servers/${serverId}` }),
  updateServer: ({ serverId }) => ({
    path: `/v1/servers/${serverId}`,
    body: { name: "renamed", ip: "192.0.2.9" },
  }),
  deleteServer: ({ serverId }) => ({ path: `/v1/servers/${serverId}` }),
  createEnrollment: ({ serverId }) => ({ path: `/v1/servers/${serverId}/enrollment`, body: {} }),
  listTokens: () => ({ path: "/v1/tokens" }),
  createToken: ({ projectId }) => ({
    path: "/v1/tokens",
    body: { name: "CI", scopes: ["tokens:read"], project_ids: [projectId] },
  }),
  revokeToken: ({ tokenId }) => ({ path: `/v1/tokens/${tokenId}` }),
  rotateToken: ({ tokenId }) => ({ path: `/v1/tokens/${tokenId}/rotate`, body: {} }),
  getAccount: () => ({ path: "/v1/account" }),
  updateAccount: () => ({ path: "/v1/account", body: { log_retention_days: 30 } }),
  enrollAgent: () => ({
    path: "/v1/agent/enroll",
    body: { token: newSecret("enrollment"), hostname: "shop", agent_version: "0.1.0" },
  }),
  reportRunEvents: ({ projectId, deploymentId }) => ({
    path: `/v1/agent/deployments/${deploymentId}/events`,
    body: { project_id: projectId, run_id: ids.run(), events: [] },
  }),
  getHealth: () => ({ path: "/healthz" }),
  createSession: () => ({ path: "/v1/sessions", body: { code: newSecret("sign_in") } }),
  endSession: () => ({ path: "/v1/session" }),
};

export const operationNames = Object.keys(endpoints).filter(
  (name): name is OperationName => name in endpoints,
);

/** Sends the operation's request. @param token null: without one; left out: with the world's own */
export async function perform(name: OperationName, world: World, token?: string | null): Promise<Response> {
  const { method, access } = endpoints[name];
  const own = access.by === "agent" ? world.credential : world.account.token;
  return await call(requests[name](world).path, {
    method,
    token: token === undefined ? own : token,
    body: requests[name](world).body,
  });
}
