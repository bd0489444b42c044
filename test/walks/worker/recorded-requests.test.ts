import { env } from "cloudflare:workers";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { AuditEntries } from "#contract/endpoints/audit/schemas.ts";
import { endpoints, type OperationName } from "#contract/endpoints/endpoints.ts";
import type { EventType } from "#contract/endpoints/events/schemas.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import { recordOf } from "#contract/lib/record-of.ts";
import { takesIdempotencyKey } from "#contract/repeatable.ts";
import { AccountId } from "#contract/ids.ts";
import { everySetting } from "../../support/every-setting.ts";
import { createToken, ids } from "../../support/worker/account.ts";
import { call } from "../../support/worker/call.ts";
import { aroundCalls } from "../../support/worker/intercept.ts";
import { partMethods } from "../../support/worker/parts.ts";
import { TestProject } from "../../support/worker/project.ts";
import { recordedEntries, recordedEvents } from "../../support/worker/recorded.ts";
import { succeedingRequest } from "../../support/worker/succeeding-requests.ts";
import {
  isForPerson,
  operationNames,
  perform,
  requests,
  senderOf,
  type World,
} from "../../support/worker/world.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

/** The event of each operation that changes something; null: it is only in the audit log. */
const eventOfOperation: { readonly [Name in OperationName]?: EventType | null } = {
  startDeployment: "deployment.started",
  deploy: "deployment.started",
  rollBack: "deployment.started",
  restartProcess: "deployment.started",
  applyConfig: "deployment.started",
  cancelDeployment: "deployment.canceled",
  deleteDeployment: "deployment.deleted",
  uploadArtifactPart: null,
  createProject: "project.created",
  updateProject: "project.updated",
  updateProcess: "project.updated",
  stopProcess: "project.updated",
  // The process was not stopped.
  startProcess: "deployment.started",
  setMaintenance: "project.updated",
  deleteProject: "project.deleted",
  updateVariables: "variables.updated",
  createServer: "server.created",
  updateServer: "server.updated",
  drainServer: "server.updated",
  undrainServer: "server.updated",
  deleteServer: "server.deleted",
  createEnrollment: null,
  createToken: "token.created",
  rotateToken: "token.rotated",
  revokeToken: "token.revoked",
  endSession: "token.revoked",
  approveDeployment: "deployment.approved",
  createHook: "hook.created",
  rotateHook: "hook.updated",
  deleteHook: "hook.deleted",
  replayPush: null,
  createWebhook: "webhook.created",
  updateWebhook: "webhook.updated",
  rotateWebhook: null,
  deleteWebhook: "webhook.deleted",
  testWebhook: null,
  resendDelivery: null,
  resendDeliveries: null,
  createFreeze: "freeze.created",
  updateFreeze: "freeze.updated",
  deleteFreeze: "freeze.deleted",
  createTrustRule: "trust_rule.created",
  updateTrustRule: "trust_rule.updated",
  deleteTrustRule: "trust_rule.deleted",
  updateAccount: "account.updated",
  updateMember: "member.updated",
  removeMember: "member.removed",
  createOwner: "member.joined",
  createInvitation: "invitation.created",
  deleteInvitation: "invitation.deleted",
  updateProfile: "member.updated",
  confirmSession: null,
  addPasskey: "passkey.added",
  updatePasskey: null,
  removePasskey: "passkey.removed",
  createRecoveryCodes: null,
  createConnection: "connection.created",
  updateConnection: "connection.updated",
  deleteConnection: "connection.deleted",
  addIdentity: "identity.added",
  removeIdentity: "identity.removed",
  createOwnToken: "token.created",
  // The token's event follows when the command takes it.
  connectCommand: null,
  revokeOwnToken: "token.revoked",
  endOwnSessions: null,
  pauseProject: null,
  resumeProject: null,
  runCommand: null,
  stopCommand: null,
  runCronJob: null,
  stopCronRun: null,
};

/** These only ask something. */
const asking: ReadonlySet<OperationName> = new Set([
  "testRepository",
  "testTrustRules",
  "testConnection",
  "createChallenge",
  "startProvider",
]);
const isChange = (name: OperationName) =>
  endpoints[name].method !== "GET" && endpoints[name].access.by === "token" && !asking.has(name);
const changing = operationNames.filter(isChange);

/** Whether an API token is refused, whatever its scopes. */
const refusesTokens = (name: OperationName) => isForPerson(name) || name === "createOwner";

const entriesOf = async ({ account: { id } }: World, name: OperationName) =>
  (await recordedEntries(id)).filter(({ action }) => action === name);

async function succeed(name: OperationName, world: World) {
  const request = await succeedingRequest(name, world);
  const { path, body, token = senderOf(name, world), headers = {} } = request;
  const before = { entries: await entriesOf(world, name), events: await recordedEvents(world.account.id) };
  const response = await call(path, { method: endpoints[name].method, token, body, headers });
  expect(response.status, `${name} must succeed`).toBeLessThan(300);
  return before;
}

describe("a request that changes something", () => {
  it.each(changing)("leaves one entry in the audit log and its event: %s", async (name) => {
    const world = await copyWorld();
    const before = await succeed(name, world);
    await vi.waitFor(async () => {
      const added = (await entriesOf(world, name)).slice(before.entries.length);
      expect(added).toMatchObject([{ outcome: "done", code: null }]);
      const unnamed = added.filter(({ target }) => target?.type === "project" && target.name === null);
      expect(unnamed).toEqual([]);
    });
    const added = (await recordedEvents(world.account.id)).slice(before.events.length);
    const expected = eventOfOperation[name];
    if (expected === undefined) throw new Error(`no event is listed for ${name}`);
    if (expected === null) expect(added.filter(({ type }) => !type.startsWith("deployment."))).toEqual([]);
    else expect(added.filter(({ type }) => type === expected)).toHaveLength(1);
  });

  it("leaves one entry in the audit log if it is refused", async () => {
    const world = await copyWorld();
    const { secret } = await createToken(world.account.id, { scopes: [] });
    const refused = changing.filter((name) => name !== "endSession");
    for (const name of refused) expect((await perform(name, world, secret)).status).toBe(403);
    await vi.waitFor(async () => {
      const entries = (await recordedEntries(world.account.id)).filter(
        ({ outcome }) => outcome === "refused",
      );
      expect(entries.map(({ action }) => action).toSorted()).toEqual(refused.toSorted());
      const codes = refused.map((name) => (refusesTokens(name) ? "person_required" : "insufficient_scope"));
      expect(entries.map(({ code }) => String(code)).toSorted()).toEqual(codes.toSorted());
      const projects = entries.filter(({ target }) => target?.type === "project");
      expect(new Set(projects.map(({ target }) => target?.name))).toEqual(new Set(["shop"]));
      const unnamed = entries.filter(
        ({ target }) => target !== null && target.type !== "push" && target.name === null,
      );
      expect(unnamed.map(({ action }) => action)).toEqual([]);
    });
  });

  it("leaves an entry of its project if it is about a deployment, unless the token cannot see that", async () => {
    const project = await TestProject.connected();
    const { id: deployment } = await project.deploy();
    const owner = await env.DB.prepare("SELECT account_id FROM projects WHERE id = ?")
      .bind(project.id)
      .first();
    const accountId = AccountId.parse(owner?.["account_id"]);
    const { secret } = await createToken(accountId, { projectIds: [ids.project()] });
    const cancel = `/v1/deployments/${deployment}/cancel`;
    const rollback = { project_id: project.id };
    const refusals = [
      await call(cancel, { method: "POST", token: project.token }),
      await call("/v1/rollback", { method: "POST", token: project.token, body: rollback }),
      await call(cancel, { method: "POST", token: secret }),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([409, 409, 404]);
    await vi.waitFor(async () => {
      const { results } = await env.DB.prepare(
        "SELECT action, project_id FROM audit_entries WHERE outcome = 'refused' AND account_id = ? ORDER BY created_at",
      )
        .bind(accountId)
        .all();
      expect(results).toEqual([
        { action: "cancelDeployment", project_id: project.id },
        { action: "rollBack", project_id: project.id },
        { action: "cancelDeployment", project_id: null },
      ]);
    });
  });

  it("leaves an entry about what it names if that does not exist, but none if it only reads", async () => {
    const world = await copyWorld();
    const { token } = world.account;
    const id = ids.project();
    expect((await call(`/v1/projects/${id}`, { method: "DELETE", token })).status).toBe(404);
    expect((await call(`/v1/projects/${id}`, { token })).status).toBe(404);
    await vi.waitFor(async () => {
      const entries = await recordedEntries(world.account.id);
      expect(entries.filter(({ outcome }) => outcome === "refused")).toEqual([
        {
          ...{ action: "deleteProject", outcome: "refused", code: "not_found", changes: null },
          target: { type: "project", id, name: null },
        },
      ]);
    });
  });
});

const HOUR_MS = 3_600_000;

/** The outage of everything that a request needs, directly after its Idempotency-Key was stored. @returns what ends it */
function outageAfterKey(): () => void {
  let isDown = false;
  const stops = partMethods().map(({ owner, method }) =>
    aroundCalls(owner, method, (original) => {
      if (isDown) return Promise.reject(new Error(`${method} is down`));
      isDown = method === "batch";
      return original();
    }),
  );
  return () => stops.forEach((stop) => stop());
}

/** Everything in D1 except the keys, as text. */
async function storedText(): Promise<string> {
  const { results } = await env.DB.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all<{
    name: string;
  }>();
  const tables = results.map(({ name }) => name).filter((name) => !/^_|^sqlite|^idempotency/.test(name));
  const rows = await env.DB.batch(tables.map((name) => env.DB.prepare(`SELECT * FROM "${name}"`)));
  return JSON.stringify(rows.map((one) => one.results));
}

/** All times in a text, as Unix milliseconds. */
function timesIn(text: string): number[] {
  const dates = [...text.matchAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g)].map(([date]) => Date.parse(date));
  return [...dates, ...[...text.matchAll(/\b\d{13}\b/g)].map(Number)];
}

describe("a request with an Idempotency-Key whose first try failed", () => {
  /** A passkey answers a challenge within minutes, so hours later a new one is asked for. */
  const answering: ReadonlySet<OperationName> = new Set(["createOwner", "addPasskey", "addIdentity"]);
  const withKey = changing.filter((name) => takesIdempotencyKey(endpoints[name]) && !answering.has(name));

  it.each(withKey)("has the time of the try that succeeds, hours later: %s", async (name) => {
    const world = await copyWorld();
    const { path, body, token = senderOf(name, world), headers = {} } = await succeedingRequest(name, world);
    await env.DB.prepare(
      "UPDATE tokens SET expires_at = expires_at + ?1, authenticated_at = authenticated_at + ?1",
    )
      .bind(48 * HOUR_MS)
      .run();
    const entries = (await entriesOf(world, name)).length;
    vi.spyOn(console, "error").mockReturnValue();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + HOUR_MS });
    onTestFinished(() => void vi.useRealTimers());
    const request = { method: endpoints[name].method, token, body };
    const send = () => call(path, { ...request, headers: { ...headers, "idempotency-key": "again" } });
    // The Worker caches the token.
    expect((await call("/v1/account", { token })).status).toBe(200);
    const end = outageAfterKey();
    expect((await send()).status).toBeGreaterThanOrEqual(500);
    end();
    const firstTry = { from: Date.now() - HOUR_MS / 2, until: Date.now() + HOUR_MS };
    vi.setSystemTime(Date.now() + 20 * HOUR_MS);
    const response = await send();
    expect(response.status, `${name} must succeed`).toBeLessThan(300);
    await vi.waitFor(async () => expect((await entriesOf(world, name)).length).toBeGreaterThan(entries));
    const times = timesIn((await response.text()) + (await storedText()));
    expect(times.filter((at) => at > firstTry.from && at < firstTry.until)).toEqual([]);
  });
});

describe("a token that is limited to a project", () => {
  const TABLES = ["servers", "projects", "deployments", "freezes", "hooks", "pushes", "webhooks", "tokens"];

  /**
   * What another project of the same account has. The names of its objects contain `victim`, and its version is 47114711,
   * which no id of a request contains by chance.
   */
  async function victimOf({ account }: World): Promise<World> {
    const victim = await copyWorld("victim");
    const moved = ["repository", "repository_key"].map(
      (column) => `${column} = replace(${column}, 'shop', 'victim')`,
    );
    const changes = [
      "deployments SET version = 47114711",
      "freezes SET name = 'freeze of victim'",
      // Every token may see the servers.
      "servers SET name = 'spare'",
      `projects SET ${moved.join(", ")}`,
      `hooks SET ${moved.join(", ")}`,
      ...TABLES.map((table) => `${table} SET account_id = '${account.id}'`),
    ];
    const of = victim.account.id;
    await env.DB.batch(changes.map((set) => env.DB.prepare(`UPDATE ${set} WHERE account_id = ?`).bind(of)));
    return victim;
  }

  it("reads no name of another project's objects in answers or in entries of refused requests", async () => {
    const world = await copyWorld();
    const victim = await victimOf(world);
    const own = world.projectId;
    const ways = [victim, { ...victim, projectId: own }, { ...world, projectId: victim.projectId }];
    const named = operationNames
      .filter((name) => /_id\b/.test(endpoints[name].path))
      .filter((name) => endpoints[name].access.by === "token");
    let refused = 0;
    for (const way of ways)
      for (const name of named) {
        if (requests[name](way).path === requests[name](world).path) continue;
        const { secret } = await createToken(world.account.id, { projectIds: [own] });
        const response = await perform(name, way, secret);
        const answer = await response.text();
        expect(answer, `${name} ${response.status}`).not.toMatch(/victim|47114711/);
        if (!response.ok && isChange(name)) refused += 1;
      }
    const countRefused = async () =>
      (await recordedEntries(world.account.id)).filter(({ outcome }) => outcome === "refused").length;
    await vi.waitFor(async () => expect(await countRefused()).toBeGreaterThanOrEqual(refused));
    const { secret: reader } = await createToken(world.account.id, { projectIds: [own] });
    const shown = await call("/v1/audit", { token: reader, headers: { accept: "application/x-ndjson" } });
    const entries = await shown.text();
    expect(entries).toContain(victim.deploymentId);
    expect(entries).not.toMatch(/victim|47114711/);
  });
});

describe("a change of settings", () => {
  async function patched(world: World, ...bodies: readonly unknown[]) {
    const { token, id } = world.account;
    const { length } = await recordedEvents(world.projectId);
    for (const body of bodies) {
      const response = await call(`/v1/projects/${world.projectId}`, { method: "PATCH", token, body });
      expect(response.status).toBe(200);
    }
    const entries = (await recordedEntries(id)).filter(({ action }) => action === "updateProject");
    const events = (await recordedEvents(world.projectId)).slice(length);
    return { entries, changed: events.flatMap((one) => ("changed" in one.data ? [one.data.changed] : [])) };
  }

  it("is recorded with the values before and after it, without unchanged values", async () => {
    const world = await copyWorld();
    const limits = { memory_mb: 256 };
    const { entries, changed } = await patched(
      world,
      { name: "store", branch: "main", timeouts: { build_seconds: 900 }, shared_paths: ["data"], limits },
      { name: "store", timeouts: { build_seconds: 900 } },
      { limits: { memory_mb: null } },
    );
    expect(entries.map(({ target, changes }) => [target?.name, changes])).toMatchObject([
      [
        "shop",
        {
          name: { before: "shop", after: "store" },
          timeouts: { before: { build_seconds: 600 }, after: { build_seconds: 900 } },
          shared_paths: { before: [], after: ["data"] },
          limits: { before: {}, after: limits },
        },
      ],
      ["store", null],
      ["store", { limits: { before: limits, after: {} } }],
    ]);
    expect(changed.map((names) => names.toSorted())).toEqual([
      ["limits", "name", "shared_paths", "timeouts"],
      ["limits"],
    ]);
  });

  it("is recorded for each setting under its name, also if one becomes automatic again", async () => {
    const world = await copyWorld();
    const optional = ["install_command", "build_command", "fallback"] as const;
    const none = recordOf(optional, () => null);
    const other = { artifact_uploads: false };
    const { entries } = await patched(world, other, everySetting, none, { automatic: optional });
    const [, all, ...others] = entries.map(({ changes }) => changes ?? {});
    expect(mapValues(all ?? {}, ({ after }) => after)).toEqual(everySetting);
    expect(others.map((changes) => mapValues(changes, ({ before, after }) => [before, after]))).toEqual([
      mapValues(none, (_, name) => [everySetting[name], ""]),
      mapValues(none, () => ["", null]),
    ]);
  });

  it("is exported as it is listed, numbers too", async () => {
    const world = await copyWorld();
    const { token } = world.account;
    const health = { path: "/up", interval_seconds: 0.5 };
    await patched(
      world,
      { keep_releases: 9, asset_overlap: 0, drain_seconds: 7, health_check: health },
      { name: 'the "shop"', install_command: 'printf "a\tb"' },
      { processes: { web: { command: "node .", instances: 2 } }, limits: { memory_mb: 512 } },
    );
    for (const on of [true, false])
      await call(`/v1/projects/${world.projectId}/maintenance`, { method: "POST", token, body: { on } });
    const read = async (accept: string) =>
      await (await call("/v1/audit", { token, headers: { accept } })).text();
    const { entries } = AuditEntries.parse(JSON.parse(await read("application/json")));
    const lines = (await read("application/x-ndjson")).trimEnd().split("\n");
    expect(lines.map((line): unknown => JSON.parse(line)).toReversed()).toEqual(entries);
  });

  it("shows no query of a health check, nor what may be a token in an address", async () => {
    const world = await copyWorld();
    const { entries } = await patched(
      world,
      { health_check: { path: "/health?token=secret" } },
      { health_check: { url: "https://shop.test/health?token=secret" } },
      { repository: "https://name@git.test/shop.git" },
      { repository: "ssh://git@git.test/shop.git" },
    );
    expect(entries.map(({ changes }) => changes)).toEqual([
      { health_check: { before: null, after: "***" } },
      { health_check: { before: "***", after: "***" } },
      { repository: { before: "https://git.test/shop.git", after: "***" } },
      { repository: { before: "***", after: "ssh://git@git.test/shop.git" } },
    ]);
  });
});
