import { env } from "cloudflare:workers";
import * as z from "zod";

import { Enrolled } from "#contract/agent-protocol.ts";
import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { connectCode } from "#contract/endpoints/connect/connect-code.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { endpoints, type OperationName } from "#contract/endpoints/endpoints.ts";
import {
  AccountId,
  CommandId,
  type ConnectionId,
  DeploymentId,
  EventId,
  FreezeId,
  HookId,
  ProjectId,
  PushId,
  ServerId,
  TokenId,
  TrustRuleId,
  WebhookId,
} from "#contract/ids.ts";
import { Freeze } from "#contract/endpoints/freezes/schemas.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import { operationTexts } from "#contract/reference/operations.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { toBase64Url } from "#sealing/bytes.ts";
import { webhooks } from "#worker/db/event-tables.ts";
import { trustRules } from "#worker/db/identity-tables.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { insertCommand } from "#worker/db/commands/command-records.ts";
import { createAccount, createToken, ids, newSecret, type TestAccount } from "./account.ts";
import { call } from "./call.ts";
import { recordPush } from "./deliveries.ts";
import { addEvents, renamed } from "./events.ts";
import { People, recordPeople } from "./record-people.ts";

/** An account with one object of each kind. No agent is connected, so the deployment stays queued. */
export const World = z
  .object({
    account: z.object({ id: AccountId, name: z.string(), token: z.string() }),
    serverId: ServerId,
    credential: z.string(),
    projectId: ProjectId,
    deploymentId: DeploymentId,
    commandId: CommandId,
    eventId: EventId,
    /** Of the project. It holds nothing while a test runs. */
    freezeId: FreezeId,
    /** The hook of the project's repository, and a push that it has received. */
    hookId: HookId,
    pushId: PushId,
    /** Only its row: its object has no address. */
    webhookId: WebhookId,
    /** A second token of the account. */
    tokenId: TokenId,
    trustRuleId: TrustRuleId,
    ...People.shape,
  })
  .readonly();
export type World = z.infer<typeof World>;

export async function createWorld(name = "shop"): Promise<World> {
  const account = await createAccount(`Account of ${name}`);
  const { token } = account;
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const response = await call(path, { method: "POST", token, body });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  };
  const server = ServerCreated.parse(await post("/v1/servers", { name: `${name}-1`, ip: "192.0.2.1" }));
  const enrollment = { token: server.enrollment.token, hostname: "shop", agent_version: "0.2.0" };
  const { credential } = Enrolled.parse(await post("/v1/agent/enroll", enrollment));
  const settings = {
    name,
    server_id: server.id,
    repository: "https://git.test/shop.git",
    processes: { web: { command: "node server.js" } },
    artifact_uploads: true,
  };
  const project = Project.parse(await post("/v1/projects", settings));
  const started = DeploymentStarted.parse(await post(`/v1/projects/${project.id}/deployments`, {}));
  const freeze = Freeze.parse(await post("/v1/freezes", farFreeze(project.id)));
  const other = await createToken(account.id, { name: `other of ${name}`, scopes: ["tokens:read"] });
  return {
    account,
    serverId: server.id,
    credential,
    projectId: project.id,
    deploymentId: started.id,
    commandId: await recordCommand(account, project.id),
    eventId: await recordEvent(account, project),
    freezeId: freeze.id,
    ...(await recordPush(account.id, project)),
    webhookId: await recordWebhook(account, name),
    tokenId: other.id,
    trustRuleId: await recordTrustRule(account, project.id),
    ...(await recordPeople(account.id)),
  };
}

/** Creating one through the API takes longer than most tests need. */
async function recordWebhook(account: TestAccount, name: string): Promise<WebhookId> {
  const id = ids.webhook();
  const target = { shownUrl: `https://${name}.test/hook`, events: ["audit.sealed"], projectIds: null };
  const state = "active" as const;
  const row = { id, kind: "standard" as const, name, state, ...target, createdAt: Date.now() };
  const rows = new AccountRows(env.DB, account.id);
  await rows.run(rows.insert(webhooks, row));
  return id;
}

/** A freeze that holds nothing while a test runs. */
function farFreeze(projectId: ProjectId) {
  const from = Date.now() + 1_000 * 60 * 60_000;
  const times = { type: "once", from: new Date(from), to: new Date(from + 60_000) };
  return { name: "Maintenance of the network", project_id: projectId, times };
}

/** As `recordWebhook`: events and the audit log of the world have no entry of it. */
async function recordTrustRule(account: TestAccount, projectId: ProjectId): Promise<TrustRuleId> {
  const id = ids.trustRule();
  const rows = new AccountRows(env.DB, account.id);
  const trusted = {
    provider: "github" as const,
    issuer: "https://token.actions.githubusercontent.com",
    subject: "1296269",
    audience: "https://gantry.test",
    claims: { event_name: ["push"], ref: ["refs/heads/main"] },
  };
  const given = { scopes: ["tokens:read" as const], projectIds: [projectId], lifetimeMinutes: 30 };
  const row = { id, name: "shop, main", ...trusted, ...given, createdAt: Date.now() };
  await rows.run(rows.insert(trustRules, row));
  return id;
}

const trustRuleOf = (projectId: ProjectId) => ({
  ...operationTexts.createTrustRule.body,
  scopes: ["tokens:read"],
  project_ids: [projectId],
});

/** Without an agent none can be started. */
async function recordCommand(account: TestAccount, projectId: ProjectId): Promise<CommandId> {
  const id = ids.command();
  const actor = { type: "token", id: ids.token(), name: "owner" } as const;
  const record = {
    ...{ id, projectId, serverId: null, command: "true", timeoutSeconds: 60 },
    ...{ actor, createdAt: Date.now() },
  };
  await insertCommand(new AccountRows(env.DB, account.id), record);
  return id;
}

async function recordEvent(account: TestAccount, { id: projectId, name }: Project): Promise<EventId> {
  const event = renamed({ projectId }, name);
  await addEvents(account.id, [event]);
  return event.id;
}

type Target = { readonly path: string; readonly body?: unknown };

/** The path parameters of every operation. */
const pathParameters = (world: World): Readonly<Record<string, string>> => ({
  command_id: world.commandId,
  deployment_id: world.deploymentId,
  event_id: world.eventId,
  freeze_id: world.freezeId,
  hook_id: world.hookId,
  webhook_id: world.webhookId,
  connection_id: world.connectionId,
  identity_id: world.identityId,
  invitation_id: world.invitationId,
  member_id: world.memberId,
  passkey_id: world.passkeyId,
  job: "backup",
  process: "web",
  project_id: world.projectId,
  push_id: world.pushId,
  run: "3",
  sha256: "0".repeat(64),
  part: "1",
  server_id: world.serverId,
  token_id: world.tokenId,
  trust_rule_id: world.trustRuleId,
});

/** The bodies of the operations that do not accept the example of the API reference. */
const bodies: { readonly [Name in OperationName]?: (world: World) => unknown } = {
  startDeployment: () => ({}),
  deploy: ({ projectId }) => ({ project_id: projectId }),
  rollBack: ({ projectId }) => ({ project_id: projectId }),
  createProject: ({ serverId }) => ({
    name: "blog",
    server_id: serverId,
    repository: "/srv/git/blog.git",
  }),
  updateProject: ({ serverId }) => ({
    name: "renamed",
    server_id: serverId,
    build_command: null,
    timeouts: { build_seconds: 900 },
  }),
  createFreeze: ({ projectId }) => farFreeze(projectId),
  updateFreeze: () => ({ name: "renamed" }),
  updateVariables: () => ({ set: [{ name: "PUBLIC_URL", value: "https://shop.test" }] }),
  createHook: () => ({ forge: "gitea", repository: "https://git.test/other.git" }),
  createServer: () => ({ name: "web-2", ip: "192.0.2.2" }),
  updateServer: () => ({ name: "renamed", ip: "192.0.2.9" }),
  createToken: ({ projectId }) => ({ name: "CI", scopes: ["tokens:read"], project_ids: [projectId] }),
  createTrustRule: ({ projectId }) => trustRuleOf(projectId),
  rotateToken: () => ({}),
  updateAccount: () => ({ log_retention_days: 30 }),
  enrollAgent: () => ({ token: newSecret("enrollment"), hostname: "shop", agent_version: "0.2.0" }),
  reportRunEvents: ({ projectId }) => ({ project_id: projectId, run_id: ids.run(), events: [] }),
  createSession: () => ({ code: newSecret("sign_in") }),
  updateMember: () => ({ name: "Grace Hopper" }),
  createInvitation: ({ projectId }) => ({ grants: [{ role: "deployer", project_ids: [projectId] }] }),
  lookUpInvitation: () => ({ code: newSecret("invitation") }),
  acceptInvitation: () => ({ ...operationTexts.acceptInvitation.body, code: newSecret("invitation") }),
  connectCommand: () => newConnect(),
  createConnection: () => ({ kind: "github", name: "Octo", client_id: "Iv1.8a61f9b3a7aba766" }),
  updateConnection: () => ({ name: "renamed" }),
  testConnection: () => ({}),
  startSignIn: ({ connectionId }) => startOf(connectionId),
  startProvider: ({ connectionId }) => ({ ...startOf(connectionId), act: "add_identity" }),
  createOwnToken: () => ({ name: "CI", scopes: ["tokens:read"] }),
};

const startOf = (connectionId: ConnectionId) => ({
  connection_id: connectionId,
  binding_hash: "0".repeat(64),
});

/** What the page of a new sign-in sends. */
function newConnect() {
  const challenge = toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  return { challenge, code: connectCode(challenge), name: "laptop", scopes: ["tokens:read"] };
}

/** A valid request for each operation, built from what the world contains. */
export const requests = mapValues(
  endpoints,
  ({ path, body, takes }: Endpoint, name) =>
    (world: World): Target => {
      const filled = path.replace(/:(\w+)/g, (_, parameter: string) => {
        const value = pathParameters(world)[parameter];
        if (value === undefined) throw new Error(`world.ts has no value for :${parameter} of ${path}`);
        return value;
      });
      if (takes === "bytes") return { path: filled, body: new Blob(["bytes"]) };
      if (body === null) return { path: filled };
      return { path: filled, body: (bodies[name] ?? (() => operationTexts[name].body))(world) };
    },
);

export const operationNames = Object.keys(endpoints).filter(
  (name): name is OperationName => name in endpoints,
);

/** Whether an operation is only for the session of a member. */
export function isForPerson(name: OperationName): boolean {
  const { access } = endpoints[name];
  return access.by === "token" && access.reach === "person";
}

/** The token that an operation is called with: of the server's agent, of a person or of the account. */
export function senderOf(name: OperationName, { account, credential, person }: World): string {
  if (endpoints[name].access.by === "agent") return credential;
  return isForPerson(name) ? person.token : account.token;
}

/** Sends the operation's request. @param token null: no token; undefined: the world's own */
export async function perform(
  name: OperationName,
  world: World,
  token?: string | null,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await call(requests[name](world).path, {
    method: endpoints[name].method,
    token: token === undefined ? senderOf(name, world) : token,
    body: requests[name](world).body,
    headers,
  });
}

/** The world with ids of objects that do not exist. */
export function missing(world: World): World {
  return {
    ...world,
    serverId: ids.server(),
    projectId: ids.project(),
    deploymentId: ids.deployment(),
    freezeId: ids.freeze(),
    hookId: ids.hook(),
    pushId: ids.push(),
    webhookId: ids.webhook(),
    trustRuleId: ids.trustRule(),
    tokenId: ids.token(),
    eventId: ids.event(),
    memberId: ids.member(),
    invitationId: ids.invitation(),
    passkeyId: ids.passkey(),
    connectionId: ids.connection(),
    identityId: ids.identity(),
  };
}
