import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";

import table from "../../docs/request-costs.md?raw";
import { endpoints, type OperationName } from "#contract/endpoints/endpoints.ts";
import { createToken } from "../support/worker/account.ts";
import { call } from "../support/worker/call.ts";
import { PUBLIC_KEY } from "../support/connected-agent/agent-connection.ts";
import { connectAgent, enrolAgent } from "../support/worker/enrol-agent.ts";
import { countRoundTrips, type RoundTrips } from "../support/worker/round-trips.ts";
import { createSession, createSignInCode } from "../support/worker/sessions.ts";
import { createWorld, operationNames, requests, type World } from "../support/worker/world.ts";

/** A request and its token. Without a token, the account's is used. */
type Request = { readonly path: string; readonly body?: unknown; readonly token?: string };

/**
 * Prepares a world so that the request of an operation succeeds.
 * `isCold`: the request needs a token that the Worker has not cached.
 */
type Prepare = (world: World, isCold: boolean, name: OperationName) => Promise<Request>;
const prepare: Partial<Record<OperationName, Prepare>> = {
  async rollBack({ account: { token } }) {
    const agent = await enrolAgent(token, "rollback");
    await agent.connect();
    const settings = { name: "rollback", server_id: agent.serverId, repository: "/srv/git/rollback.git" };
    const { id: projectId } = await create("/v1/projects", token, settings);
    const deploy = () => create(`/v1/projects/${projectId}/deployments`, token, {});
    for (const releases of [[], [1]]) {
      const { id } = await deploy();
      await agent.completes(await agent.orderOf(id), releases);
    }
    // Like a started deployment, the rollback waits behind another one.
    await agent.orderOf((await deploy()).id);
    await vi.waitFor(() => expectSettled(token, agent.serverId, projectId));
    return { path: "/v1/rollback", body: { project_id: projectId } };
  },
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
  async deleteServer({ account: { token } }) {
    const { id } = await create("/v1/servers", token, { name: "unused", ip: "192.0.2.7" });
    return { path: `/v1/servers/${id}` };
  },
  async createSession({ account }) {
    return { path: "/v1/sessions", body: { code: await createSignInCode(account.id) } };
  },
  async endSession({ account }, isCold) {
    const { token } = await createSession(account.id);
    // Otherwise the Worker would write the session's first use in an hour, after the response.
    await env.DB.prepare("UPDATE tokens SET last_used_at = ? WHERE kind = 'session'").bind(Date.now()).run();
    if (!isCold) expect((await call("/v1/account", { token })).status).toBe(200);
    return { path: "/v1/session", token };
  },
  async enrollAgent({ account: { token }, serverId }) {
    const enrollment = await create(`/v1/servers/${serverId}/enrollment`, token, {});
    return {
      path: "/v1/agent/enroll",
      body: { token: enrollment.token, hostname: "shop", agent_version: "0.1.0" },
    };
  },
};

/** A project with a revision of variables: reading one without them costs as much or less. */
async function withVariables({ account: { token }, projectId }: World): Promise<Request> {
  const path = `/v1/projects/${projectId}/variables`;
  const body = { set: [{ name: "URL", value: "https://shop.test" }] };
  expect((await call(path, { method: "PATCH", token, body })).status).toBe(200);
  return { path };
}

/** What the Worker writes after its responses: two logs, the server's status, and what it serves. */
async function expectSettled(token: string, serverId: string, projectId: string): Promise<void> {
  const logs = (await env.LOGS.list()).objects.filter(({ key }) => key.includes(projectId));
  expect(logs).toHaveLength(2);
  expect(await (await call(`/v1/servers/${serverId}`, { token })).json()).toMatchObject({
    status: "healthy",
  });
  expect(await (await call(`/v1/projects/${projectId}`, { token })).json()).toMatchObject({
    url: expect.any(String),
  });
}

/** An agent that answers requests about commands and jobs. */
async function connectForCommands(world: World, _: boolean, name: OperationName): Promise<Request> {
  await connectAndSettle(world);
  return requests[name](world);
}

async function connectAndSettle(world: World): Promise<void> {
  const agent = await connectAgent(world);
  // The agent gets the world's queued deployment. What that writes must not be counted.
  await agent.orderOf(world.deploymentId);
  await scheduler.wait(200);
}

const Created = z.object({ id: z.optional(z.string()), token: z.optional(z.string()) });

async function create(path: string, token: string, body: unknown): Promise<{ id: string; token: string }> {
  const response = await call(path, { method: "POST", token, body });
  expect(response.status).toBe(201);
  const { id = "", token: secret = "" } = Created.parse(await response.json());
  return { id, token: secret };
}

/**
 * Counts the round trips of a successful request.
 * @param coldToken a token of the account that is not cached; null: use a cached one
 */
async function measure(name: OperationName, world: World, coldToken: string | null): Promise<RoundTrips> {
  const { method, access } = endpoints[name];
  const request: Request = (await prepare[name]?.(world, coldToken !== null, name)) ?? requests[name](world);
  const token = access.by === "agent" ? world.credential : (coldToken ?? world.account.token);
  let status = 0;
  const counted = await countRoundTrips(async () => {
    const response = await call(request.path, { method, token: request.token ?? token, body: request.body });
    ({ status } = response);
  });
  expect(status, `${name} must succeed to be measured`).toBeLessThan(300);
  expect(status).toBeGreaterThanOrEqual(200);
  return counted;
}

/** The row of docs/request-costs.md for an operation. */
function row(name: string, cold: RoundTrips, warm: RoundTrips): string {
  const d1 = cold.d1 === warm.d1 ? `${warm.d1}` : `${warm.d1} (${cold.d1})`;
  return `| \`${name}\` | ${d1} | ${warm.r2} | ${warm.lane} | ${warm.link} |`;
}

// The clock stands still, because the Worker caches tokens for some seconds and a busy machine may take longer to create
// a world. It is ahead by a minute, so that what earlier tests have cached has expired.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the cost of a request", () => {
  it.each(operationNames)("is, for %s, what docs/request-costs.md says", async (name) => {
    const first = await createWorld();
    const { id, secret } = await createToken(first.account.id);
    // Otherwise the Worker would write the token's first use in an hour, after the response.
    await env.DB.prepare("UPDATE tokens SET last_used_at = ? WHERE id = ?").bind(Date.now(), id).run();
    const cold = await measure(name, first, secret);
    // Otherwise the projects of both worlds would have the same default domain, which is refused.
    await env.DB.prepare("UPDATE projects SET domain = id").run();
    await env.DB.prepare("DELETE FROM domains").run();
    const second = await createWorld("second");
    const warm = await measure(name, second, null);
    const measured = row(name, cold, warm);
    expect(table.split("\n").includes(measured), `the row is now ${measured}`).toBe(true);
  });

  it("is at most two D1 round trips for a list, or one if the token is cached", () => {
    const lists = table.split("\n").filter((line) => line.startsWith("| `list"));
    expect(lists.length).toBeGreaterThan(3);
    for (const line of lists) {
      const [, warm, , cold] = /\| (\d)( \((\d)\))? \|/.exec(line) ?? [];
      expect(Number(warm)).toBeLessThanOrEqual(1);
      expect(Number(cold)).toBeLessThanOrEqual(2);
    }
  });
});
