import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Account } from "#contract/endpoints/accounts/schemas.ts";
import { takesIdempotencyKey } from "#contract/repeatable.ts";
import { endpoints, type OperationName } from "#contract/endpoints/endpoints.ts";
import { Enrollment, ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { connectAgent } from "../../support/worker/enrol-agent.ts";
import { faultKinds, Faults, type ObjectOf } from "../../support/worker/faults.ts";
import { TestProject } from "../../support/worker/project.ts";
import { sampleOf } from "../../support/sample.ts";
import { createSession, createSignInCode } from "../../support/worker/sessions.ts";
import { succeedingRequest } from "../../support/worker/succeeding-requests.ts";
import { operationNames, requests, senderOf } from "../../support/worker/world.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(console, "log").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

const writes = operationNames.filter((name) => endpoints[name].method !== "GET");

/** A request that succeeds without faults. */
type Target = {
  /** Of the account concerned. */
  accountId: string;
  token: string | null;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
};

/** The operations that ask the project's agent. */
const askingAgent = [
  "testRepository",
  "pauseProject",
  "resumeProject",
  "runCommand",
  "stopCommand",
  "runCronJob",
  "stopCronRun",
] as const satisfies OperationName[];
const asksAgent = (name: OperationName) => askingAgent.some((one) => one === name);

/** Requests for operations that need more than a world contains. */
const special: { readonly [Name in OperationName]?: () => Promise<Target> } = {
  rollBack: async () => {
    const project = await TestProject.connected({ name: unusedName() });
    await project.deploy();
    await project.deploy();
    return ownTarget(await ownerOf(project), "/v1/rollback", { project_id: project.id });
  },
  deleteProject: async () => {
    const project = await TestProject.connected({ name: unusedName() });
    await project.deploy();
    return ownTarget(await ownerOf(project), `/v1/projects/${project.id}`);
  },
  deleteServer: async () => {
    const { account } = await copyWorld(unusedName());
    const body = { name: "empty", ip: "192.0.2.7" };
    const answer = await call("/v1/servers", { method: "POST", token: account.token, body });
    return ownTarget(account, `/v1/servers/${ServerCreated.parse(await answer.json()).id}`);
  },
  enrollAgent: async () => {
    const { account, serverId } = await copyWorld(unusedName());
    const path = `/v1/servers/${serverId}/enrollment`;
    const answer = await call(path, { method: "POST", token: account.token, body: {} });
    const { token } = Enrollment.parse(await answer.json());
    const body = { token, hostname: "shop", agent_version: "0.2.0" };
    return { accountId: account.id, token: null, path: "/v1/agent/enroll", body };
  },
  createSession: async () => {
    const { account } = await copyWorld(unusedName());
    const body = { code: await createSignInCode(account.id) };
    return { accountId: account.id, token: null, path: "/v1/sessions", body };
  },
  endSession: async () => {
    const { account } = await copyWorld(unusedName());
    const { token } = await createSession(account.id);
    return { accountId: account.id, token, path: "/v1/session" };
  },
};

/** The operations whose requests need what `succeedingRequest` prepares. */
const needsPreparation = new Set<OperationName>([
  ...(["createChallenge", "confirmSession", "createOwner", "addPasskey"] as const),
  ...(["addIdentity", "revokeOwnToken"] as const),
  ...(["lookUpInvitation", "acceptInvitation", "connectCommand", "claimToken"] as const),
  ...(["approveDeployment", "receiveDelivery", "replayPush"] as const),
  ...(["updateWebhook", "deleteWebhook", "testWebhook", "rotateWebhook"] as const),
  ...(["resendDelivery", "resendDeliveries", "testTrustRules", "exchangeToken"] as const),
]);

type Owner = { readonly id: string; readonly token: string };

const ownTarget = ({ id, token }: Owner, path: string, body?: unknown): Target => ({
  accountId: id,
  token,
  path,
  body,
});

async function ownerOf({ token }: TestProject): Promise<Owner> {
  return { id: Account.parse(await (await call("/v1/account", { token })).json()).id, token };
}

let made = 0;
const unusedName = () => `shop-${(made += 1)}`;

async function targetOf(name: OperationName): Promise<Target> {
  const specially = special[name];
  if (specially !== undefined) return await specially();
  const world = await copyWorld(unusedName());
  if (asksAgent(name)) await connectAgent(world);
  const token = senderOf(name, world);
  const request = needsPreparation.has(name) ? await succeedingRequest(name, world) : requests[name](world);
  return { accountId: world.account.id, token, ...request };
}

async function send(name: OperationName, { path, token, body, headers }: Target): Promise<Response> {
  const key = takesIdempotencyKey(endpoints[name]) ? { "idempotency-key": "once" } : {};
  const sent = { token, body, headers: { ...headers, ...key } };
  return await call(path, { method: endpoints[name].method, ...sent });
}

/** The lanes and links of an account. */
async function objectsOf(accountId: string): Promise<ObjectOf[]> {
  const select = (table: string) =>
    env.DB.prepare(`SELECT id FROM ${table} WHERE account_id = ?`).bind(accountId);
  const [projects, servers] = await env.DB.batch<{ id: string }>([select("projects"), select("servers")]);
  const lanes =
    projects?.results.map(
      ({ id }) =>
        () =>
          env.PROJECT_LANE.getByName(id),
    ) ?? [];
  const links =
    servers?.results.map(
      ({ id }) =>
        () =>
          env.AGENT_LINK.getByName(id),
    ) ?? [];
  return [...lanes, ...links];
}

/** The columns of an account's rows that are the same in two accounts that made the same requests. */
const compared = {
  projects: "name, branch, settings",
  deployments: "version, kind, status, stage",
  servers: "name, ip, agent_version, credential_hash IS NULL, enrollment_hash IS NULL",
  tokens:
    "kind, name, scopes, revoked_at IS NULL, previous_hash IS NULL, member_id IS NULL, authenticated_at = created_at",
  members: "name, email, is_owner, grants",
  passkeys: "name, last_used_at IS NULL",
  recovery_codes: "1",
  invitations: "email, grants",
  connect_grants: "name, scopes, project_ids",
  used_secrets: "1",
};

/** Of a request with an Idempotency-Key: what records that it was carried out. */
const recorded = { events: "type", audit_entries: "action, outcome" };
/** The entry of a request that asks an agent follows its answer, and may say that the agent was lost. */
const isRecordedAtOnce = (name: OperationName) => takesIdempotencyKey(endpoints[name]) && !asksAgent(name);

/** An account's rows, without the values that differ between two accounts that made the same requests. */
async function belongings(accountId: string, name: OperationName): Promise<string[][]> {
  const tables = { ...compared, ...(isRecordedAtOnce(name) && recorded) };
  const statements = Object.entries(tables).map(([table, columns]) =>
    env.DB.prepare(`SELECT ${columns} FROM ${table} WHERE account_id = ? ORDER BY id`).bind(accountId),
  );
  const rows = await env.DB.batch(statements);
  const same = (text: string) => text.replace(/shop-\d+/g, "shop").replace(/_[0-9a-z]{26}/g, "_id");
  return rows.map(({ results }) => results.map((row) => same(JSON.stringify(row))));
}

/** The answers to a repeated request that took effect before and has no Idempotency-Key. */
const DONE_BEFORE: { readonly [Name in OperationName]?: number } = {
  cancelDeployment: 409,
  deleteDeployment: 404,
  deleteProject: 404,
  deleteServer: 404,
  deleteFreeze: 404,
  deleteHook: 404,
  deleteWebhook: 404,
  revokeToken: 404,
  deleteTrustRule: 404,
  // A provider's code counts once: the person starts again.
  addIdentity: 403,
  // An identity token can be exchanged only once.
  exchangeToken: 400,
  // The enrolment token is spent and its credential is lost, so the server needs a new enrolment token.
  enrollAgent: 401,
  createSession: 401,
  endSession: 401,
  removeMember: 404,
  deleteInvitation: 404,
  removePasskey: 404,
  removeIdentity: 404,
  deleteConnection: 404,
  revokeOwnToken: 404,
  endOwnSessions: 401,
  // The challenge was answered already, and the session is confirmed.
  confirmSession: 403,
  // The token was taken, and its secret is lost: it is in the list of the person's tokens, and the command signs in again.
  claimToken: 409,
  // The invitation was used: the person is a member, and signs in with the passkey.
  acceptInvitation: 401,
  // The link that was killed has lost its agent, which connects again by itself.
  ...Object.fromEntries(askingAgent.map((name) => [name, 409])),
};

/** Each run takes one of so many points, and other ones each day. */
const SHARE = 6;

describe("a request with one failing call to another part", () => {
  let walked = 0;
  afterAll(() => console.info(`${walked} points of ${writes.length} operations were walked`));

  it.each(writes)(
    "is %s: carried out once although it is repeated, and never answered with 500",
    async (name) => {
      const faults = new Faults();
      const clean = await targetOf(name);
      faults.count(null);
      const { status } = await send(name, clean);
      await settled();
      const calls = faults.stop();
      expect(status).toBe(endpoints[name].success.status);
      const expected = await belongings(clean.accountId, name);
      const points = faultKinds.flatMap((kind) => calls.map((what, at) => ({ kind, at, what })));
      for (const { kind, at, what } of sampleOf(points, SHARE)) {
        const where = `${kind} at ${at}, ${what}`;
        const target = await targetOf(name);
        const { accountId } = target;
        const objects = await objectsOf(accountId);
        const before = await belongings(accountId, name);
        faults.count(at, kind, objects);
        const first = await send(name, target);
        await settled();
        faults.stop();
        const isLost = asksAgent(name) && first.status === 409;
        if (first.status !== status && !isLost) {
          expect(first.status, where).toBe(503);
          expect(Number(first.headers.get("retry-after")), where).toBeGreaterThan(0);
          expect(await problemOf(first), where).toMatchObject({ code: "unavailable" });
        }
        const second = await send(name, target);
        if (first.status === 503 || takesIdempotencyKey(endpoints[name]))
          expect([status, DONE_BEFORE[name]], where).toContain(second.status);
        walked += 1;
        if (name === "addIdentity" && first.status === 503 && second.status === DONE_BEFORE[name]) {
          // The code was spent at the provider, and then D1 did not answer: nothing was done, and the person starts again.
          const now = await belongings(accountId, name);
          if (!JSON.stringify(now).includes("identity.added")) {
            expect(now.slice(0, -1), where).toEqual(before.slice(0, -1));
            continue;
          }
        }
        await vi.waitFor(async () => {
          await Promise.all(objects.map((object) => runDurableObjectAlarm(object())));
          expect(await belongings(accountId, name), where).toEqual(expected);
        });
      }
    },
  );
});

/** Waits for work that a request started and that continues after its answer. */
async function settled(): Promise<void> {
  await scheduler.wait(5);
}
