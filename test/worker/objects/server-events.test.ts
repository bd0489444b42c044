import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { ConnectedAgent } from "../../support/connected-agent/connected-agent.ts";
import { createAccount, type TestAccount } from "../../support/worker/account.ts";
import { enrolAgent } from "../../support/worker/enrol-agent.ts";
import { failCalls } from "../../support/worker/intercept.ts";
import { recordedEvents } from "../../support/worker/recorded.ts";
import { databasePrototypes } from "../../support/worker/statements.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function connectServer(): Promise<{ account: TestAccount; agent: ConnectedAgent }> {
  const account = await createAccount();
  const agent = await enrolAgent(account.token, "web-1");
  await agent.connect();
  await agent.receives("welcome");
  return { account, agent };
}

/** The events of the account's server after its creation, each as its status. */
async function statusEvents({ id }: TestAccount): Promise<string[]> {
  const events = await recordedEvents(id);
  return events.flatMap(({ type, data }) =>
    "server" in data && type !== "server.created" ? [`${data.server.name} ${data.server.status}`] : [],
  );
}

const linkOf = ({ serverId }: ConnectedAgent) => env.AGENT_LINK.getByName(serverId);

async function pass(agent: ConnectedAgent, seconds: number): Promise<void> {
  vi.setSystemTime(Date.now() + seconds * 1000);
  await runDurableObjectAlarm(linkOf(agent));
}

async function disconnect(agent: ConnectedAgent): Promise<void> {
  agent.cut();
  await vi.waitFor(async () => {
    const row = await env.DB.prepare("SELECT connected_at FROM servers WHERE id = ?")
      .bind(agent.serverId)
      .first<{ connected_at: number | null }>();
    expect(row?.connected_at).toBeNull();
  });
}

describe("the events of a server's status", () => {
  it("tell that it is healthy, that its ingress has a problem, and that it is offline after a minute", async () => {
    const { account, agent } = await connectServer();
    await vi.waitFor(async () => expect(await statusEvents(account)).toEqual(["web-1 healthy"]));
    agent.ingressProblem = "port 80 is in use";
    agent.status([]);
    await vi.waitFor(async () =>
      expect(await statusEvents(account)).toEqual(["web-1 healthy", "web-1 degraded"]),
    );
    await disconnect(agent);
    await pass(agent, 30);
    expect(await statusEvents(account)).toHaveLength(2);
    await pass(agent, 31);
    expect((await statusEvents(account)).at(-1)).toBe("web-1 offline");
    agent.ingressProblem = undefined;
    await agent.connect();
    await vi.waitFor(async () =>
      expect((await statusEvents(account)).slice(2)).toEqual(["web-1 offline", "web-1 healthy"]),
    );
  });

  it("tell nothing if the agent reconnects within a minute", async () => {
    const { account, agent } = await connectServer();
    await vi.waitFor(async () => expect(await statusEvents(account)).toHaveLength(1));
    await disconnect(agent);
    await pass(agent, 50);
    await agent.connect();
    await agent.receives("welcome");
    await pass(agent, 50);
    expect(await statusEvents(account)).toEqual(["web-1 healthy"]);
  });

  it("are written after an outage of D1, once, also if the link dies meanwhile", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { account, agent } = await connectServer();
    await vi.waitFor(async () => expect(await statusEvents(account)).toHaveLength(1));
    await disconnect(agent);
    const outages = databasePrototypes().map((prototype) => failCalls(prototype, "batch"));
    await pass(agent, 61);
    for (const outage of outages) outage.end();
    await evictDurableObject(linkOf(agent));
    await pass(agent, 61);
    await evictDurableObject(linkOf(agent));
    await pass(agent, 61);
    expect(await statusEvents(account)).toEqual(["web-1 healthy", "web-1 offline"]);
  });
});
