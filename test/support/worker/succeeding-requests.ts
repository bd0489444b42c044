import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import * as z from "zod/mini";

import { connectCode } from "#contract/endpoints/connect/connect-code.ts";
import type { OperationName } from "#contract/endpoints/endpoints.ts";
import { Weekday } from "#contract/endpoints/freezes/freeze-times.ts";
import { ProjectId } from "#contract/ids.ts";
import { bytesOf, toBase64Url } from "#sealing/bytes.ts";
import { PUBLIC_KEY } from "../connected-agent/agent-socket.ts";
import { call } from "./call.ts";
import { githubBody, hmac, RECORDED_SECRET } from "./deliveries.ts";
import { connectAgent, enrolAgent } from "./enrol-agent.ts";
import { TestIssuer } from "./issuer.ts";
import { acceptanceOf, challengeFor, confirmationBy, invite, newPasskey } from "./members.ts";
import { createConnection, gitHubUrl, Tab } from "./providers.ts";
import { createSession, createSignInCode } from "./sessions.ts";
import { exchangeOf, job, ruleOf } from "./trust-rules.ts";
import { TestWebhook } from "./webhook.ts";
import { requests, type World } from "./world.ts";

/** A request and its token. Without a token, `senderOf` the operation is used. */
export type Request = {
  readonly path: string;
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: Record<string, string>;
};

/** Prepares a world so that the request of an operation succeeds. */
type Prepare = (world: World, name: OperationName) => Promise<Request>;
const prepare: Partial<Record<OperationName, Prepare>> = {
  async rollBack({ account: { token } }) {
    const { projectId, agent } = await serve(token, "rollback", [[], [1]]);
    // Like a started deployment, the rollback waits behind another one.
    const { id } = await create(`/v1/projects/${projectId}/deployments`, token, {});
    await agent.orderOf(id);
    await expectSettled(token, agent.serverId, projectId, 2);
    return { path: "/v1/rollback", body: { project_id: projectId } };
  },
  getProject: withServedProject,
  updateProject: withServedProject,
  async deleteProject({ account: { token }, projectId, deploymentId }) {
    const path = `/v1/deployments/${deploymentId}/cancel`;
    expect((await call(path, { method: "POST", token, body: {} })).status).toBe(200);
    return { path: `/v1/projects/${projectId}` };
  },
  getVariables: withVariables,
  listVariableRevisions: async (world) => {
    const { path } = await withVariables(world);
    return { path: `${path}/revisions` };
  },
  async getDeployKey(world) {
    await connectAndSettle(world);
    const path = `/v1/projects/${world.projectId}/deploy-key`;
    await call(path, { token: world.account.token });
    await vi.waitFor(async () =>
      expect(
        await (await call(`/v1/projects/${world.projectId}`, { token: world.account.token })).json(),
      ).toMatchObject({ deploy_key: { public_key: PUBLIC_KEY } }),
    );
    return { path };
  },
  async testRepository(world) {
    await connectAndSettle(world);
    return { path: `/v1/projects/${world.projectId}/repository-test`, body: {} };
  },
  async checkDomains(world) {
    await connectAndSettle(world);
    return { path: `/v1/projects/${world.projectId}/domains` };
  },
  async setMaintenance(world) {
    await connectAndSettle(world);
    return { path: `/v1/projects/${world.projectId}/maintenance`, body: { on: true } };
  },
  async pauseProject(world) {
    await connectAndSettle(world);
    return { path: `/v1/projects/${world.projectId}/pause`, body: { seconds: 5 } };
  },
  async resumeProject(world) {
    await connectAndSettle(world);
    return { path: `/v1/projects/${world.projectId}/resume`, body: {} };
  },
  async getOutput(world) {
    await connectAndSettle(world);
    return { path: `/v1/projects/${world.projectId}/output` };
  },
  runCommand: connectForCommands,
  listCommands: connectForCommands,
  getCommand: connectForCommands,
  getCommandOutput: connectForCommands,
  stopCommand: connectForCommands,
  listCronJobs: connectForCommands,
  getCronJob: connectForCommands,
  runCronJob: connectForCommands,
  getCronOutput: connectForCommands,
  stopCronRun: connectForCommands,
  async approveDeployment(world) {
    await connectAndSettle(world);
    const { token } = world.account;
    const { serverId } = world;
    const settings = {
      name: "careful",
      server_id: serverId,
      repository: "/srv/git/a.git",
      approval: "required",
    };
    const { id: projectId } = await create("/v1/projects", token, settings);
    // So that the deployment is not offered to its server, which may or may not happen before the response.
    const times = { type: "weekly", days: Weekday.options, from: "00:00", to: "00:00", timezone: "UTC" };
    await create("/v1/freezes", token, { name: "always", project_id: projectId, times });
    const { id } = await create(`/v1/projects/${projectId}/deployments`, token, {});
    await vi.waitFor(async () =>
      expect(await (await call(`/v1/deployments/${id}`, { token })).json()).toMatchObject({
        waiting_on: { type: "approval" },
      }),
    );
    return { path: `/v1/deployments/${id}/approve`, body: {} };
  },
  getWebhook: withWebhook,
  updateWebhook: withWebhook,
  deleteWebhook: withWebhook,
  testWebhook: withWebhook,
  rotateWebhook: withWebhook,
  listDeliveries: withWebhook,
  resendDeliveries: withWebhook,
  async resendDelivery(world) {
    const webhook = await TestWebhook.create({ events: ["audit.*"] }, world.account);
    const [eventId = ""] = await webhook.accepts();
    return { path: `/v1/webhooks/${webhook.id}/deliveries/${eventId}/resend`, body: {} };
  },
  async drainServer(world) {
    await connectAndSettle(world);
    return requests.drainServer(world);
  },
  async undrainServer(world) {
    await connectAndSettle(world);
    const { token } = world.account;
    const drained = await call(`/v1/servers/${world.serverId}/drain`, { method: "POST", token, body: {} });
    expect(drained.status).toBe(200);
    return requests.undrainServer(world);
  },
  async deleteServer({ account: { token } }) {
    const { id } = await create("/v1/servers", token, { name: "unused", ip: "192.0.2.7" });
    return { path: `/v1/servers/${id}` };
  },
  async receiveDelivery({ hookId }) {
    const body = githubBody({ ref: "refs/heads/main" });
    const signature = await hmac(RECORDED_SECRET, JSON.stringify(body));
    const headers = { "x-github-event": "push", "x-hub-signature-256": `sha256=${signature}` };
    return { path: `/v1/hooks/${hookId}/receive`, body, headers };
  },
  async replayPush(world) {
    const body = { deploy_on: { branches: ["**"] } };
    await call(`/v1/projects/${world.projectId}`, { method: "PATCH", token: world.account.token, body });
    await settle();
    return requests.replayPush(world);
  },
  async testTrustRules({ account: { token } }) {
    const issuer = await TestIssuer.start();
    await create("/v1/trust-rules", token, ruleOf(issuer));
    return { path: "/v1/trust-rules/test", body: { subject_token: await issuer.token(job) } };
  },
  async exchangeToken({ account: { token } }) {
    const issuer = await TestIssuer.start();
    await create("/v1/trust-rules", token, ruleOf(issuer));
    return { path: "/v1/token-exchange", body: exchangeOf(await issuer.token(job)) };
  },
  async createSession({ account }) {
    return { path: "/v1/sessions", body: { code: await createSignInCode(account.id) } };
  },
  async endSession({ account }) {
    const { token } = await createSession(account.id);
    return { path: "/v1/session", token };
  },
  async createChallenge({ person: { token } }) {
    return { path: "/v1/session/challenge", body: { act: "add_passkey" }, token };
  },
  async confirmSession({ person: { token } }) {
    const { passkey, sent } = await newPasskey(await challengeFor(token, "add_passkey"));
    await create("/v1/me/passkeys", token, { name: "Phone", passkey: sent });
    return { path: "/v1/session/confirm", body: { passkey: await confirmationBy({ token, passkey }) } };
  },
  async createOwner({ account }) {
    // As in an account that nobody has joined yet.
    await env.DB.prepare("DELETE FROM members WHERE account_id = ?").bind(account.id).run();
    const { token } = await createSession(account.id);
    const { sent } = await newPasskey(await challengeFor(token, "add_passkey"));
    return { path: "/v1/owner", body: { name: "Ada", passkey: sent, passkey_name: "Laptop" }, token };
  },
  async lookUpInvitation({ account: { token } }) {
    return { path: "/v1/invitations/look-up", body: { code: await invite(token, [{ role: "viewer" }]) } };
  },
  async acceptInvitation({ account: { token } }) {
    const code = await invite(token, [{ role: "viewer" }]);
    return { path: "/v1/invitations/accept", body: await acceptanceOf(code, "Alan") };
  },
  async addPasskey({ person: { token } }) {
    const { sent } = await newPasskey(await challengeFor(token, "add_passkey"));
    return { path: "/v1/me/passkeys", body: { name: "Phone", passkey: sent } };
  },
  async addIdentity({ person: { token } }) {
    const connection = await createConnection(token, {
      ...{ kind: "github", name: "Octo", issuer: gitHubUrl(), scopes: ["read:user"] },
    });
    const tab = new Tab();
    const url = await tab.startAs(token, "add_identity", connection);
    return { path: "/v1/me/identities", body: await tab.visit(url, "octocat") };
  },
  async revokeOwnToken({ person: { token } }) {
    const { id } = await create("/v1/me/tokens", token, { name: "CI", scopes: ["tokens:read"] });
    return { path: `/v1/me/tokens/${id}` };
  },
  async connectCommand() {
    return { path: "/v1/tokens/connect", body: (await newConnection()).allowed };
  },
  async claimToken({ person: { token } }) {
    const { allowed, verifier } = await newConnection();
    expect((await call("/v1/tokens/connect", { method: "POST", token, body: allowed })).status).toBe(201);
    return { path: "/v1/tokens/claim", body: { verifier } };
  },
  async enrollAgent({ account: { token }, serverId }) {
    const enrollment = await create(`/v1/servers/${serverId}/enrollment`, token, {});
    return {
      path: "/v1/agent/enroll",
      body: { token: enrollment.token, hostname: "shop", agent_version: "0.2.0" },
    };
  },
};

/** What a command that signs in by the browser sends, and what the person's page sends before. */
async function newConnection() {
  const verifier = toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  const hash = await crypto.subtle.digest("SHA-256", bytesOf(verifier));
  const challenge = toBase64Url(new Uint8Array(hash));
  const allowed = { challenge, code: connectCode(challenge), name: "laptop", scopes: ["projects:read"] };
  return { verifier, allowed };
}

/** A webhook with an address. It gets none of the events that the requests cause. */
async function withWebhook(world: World, name: OperationName): Promise<Request> {
  const { id } = await TestWebhook.create({ events: ["audit.*"] }, world.account);
  await settle();
  return requests[name]({ ...world, webhookId: id });
}

/** A project with a revision of variables: reading one without them costs as much or less. */
async function withVariables({ account: { token }, projectId }: World): Promise<Request> {
  const path = `/v1/projects/${projectId}/variables`;
  const body = { set: [{ name: "URL", value: "https://shop.test" }] };
  expect((await call(path, { method: "PATCH", token, body })).status).toBe(200);
  return { path };
}

/** A project that its server serves. It costs as much as any other, or more. */
async function withServedProject(world: World, name: OperationName): Promise<Request> {
  const { token } = world.account;
  const { projectId, agent } = await serve(token, "served", [[]]);
  await expectSettled(token, agent.serverId, projectId, 1);
  const project = await (await call(`/v1/projects/${projectId}`, { token })).json();
  expect(project).toMatchObject({ serving: { deployment_id: expect.any(String) } });
  return requests[name]({ ...world, projectId });
}

/** Deploys a new project on a new server. @param releases what the server has at each deployment */
async function serve(token: string, name: string, releases: readonly (readonly number[])[]) {
  const agent = await enrolAgent(token, name);
  await agent.connect();
  const settings = { name, server_id: agent.serverId, repository: `/srv/git/${name}.git` };
  const projectId = ProjectId.parse((await create("/v1/projects", token, settings)).id);
  for (const before of releases) {
    const { id } = await create(`/v1/projects/${projectId}/deployments`, token, {});
    await agent.completes(await agent.orderOf(id), [...before]);
  }
  return { agent, projectId };
}

/** Waits for what the Worker writes after its responses: logs, the server's status, and its served releases. */
async function expectSettled(
  token: string,
  serverId: string,
  projectId: string,
  logs: number,
): Promise<void> {
  await vi.waitFor(async () => {
    const stored = (await env.LOGS.list()).objects.filter(({ key }) => key.includes(projectId));
    expect(stored).toHaveLength(logs);
    expect(await (await call(`/v1/servers/${serverId}`, { token })).json()).toMatchObject({
      status: "healthy",
    });
    expect(await (await call(`/v1/projects/${projectId}`, { token })).json()).toMatchObject({
      url: expect.any(String),
    });
  });
}

/** An agent that answers requests about commands and jobs. */
async function connectForCommands(world: World, name: OperationName): Promise<Request> {
  await connectAndSettle(world);
  return requests[name](world);
}

async function connectAndSettle(world: World): Promise<void> {
  const agent = await connectAgent(world);
  // The agent gets the world's queued deployment.
  await agent.orderOf(world.deploymentId);
  await settle();
}

/** Waits for what the Worker does after the responses so far, which must not be counted. */
async function settle(): Promise<void> {
  await scheduler.wait(200);
}

const Created = z.object({ id: z.optional(z.string()), token: z.optional(z.string()) });

async function create(path: string, token: string, body: unknown): Promise<{ id: string; token: string }> {
  const response = await call(path, { method: "POST", token, body });
  expect(response.status).toBe(201);
  const { id = "", token: secret = "" } = Created.parse(await response.json());
  return { id, token: secret };
}

/** A request of the operation that succeeds, and the objects that the request needs. */
export async function succeedingRequest(name: OperationName, world: World): Promise<Request> {
  return (await prepare[name]?.(world, name)) ?? requests[name](world);
}
