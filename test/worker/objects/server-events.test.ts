import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import * as z from "zod";

import type { ProjectReport } from "#contract/agent-protocol.ts";
import { Project, ProjectRows } from "#contract/endpoints/projects/schemas.ts";
import { ProjectId } from "#contract/ids.ts";
import type { FailedRun } from "#contract/reported-health.ts";
import type { ConnectedAgent } from "../../support/connected-agent/connected-agent.ts";
import { createAccount, type TestAccount } from "../../support/worker/account.ts";
import { call } from "../../support/worker/call.ts";
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
    "server" in data && "changed" in data && type !== "server.created"
      ? [`${data.server.name} ${data.server.status}`]
      : [],
  );
}

/** A report of a project whose process `worker` is in this state. */
const reportOf = (project_id: ProjectId, state: "live" | "crash_looping"): ProjectReport => ({
  ...{ project_id, release: null, releases: [], url: null },
  processes: [
    {
      ...{ name: "worker", command: "node worker.js", port: false, wanted: 1, stopped: false },
      instances: [
        {
          ...{
            name: "worker-1-0",
            state,
            started_at: null,
            restarts: 5,
            memory_bytes: null,
            cpu_percent: null,
          },
          ...{
            last_exit: "ended with exit code 1",
            last_output: "connecting\n\u001b[31mError: no queue\u001b[0m\n",
          },
          ...(state === "live" ? {} : { crash_loop: { ends: 5, seconds: 21, exit_code: 1, signal: null } }),
        },
      ],
    },
  ],
  jobs: [{ name: "backup", failed: state === "live" ? null : failedRun }],
});
const failedRun: FailedRun = {
  ...{ number: 3, status: "exited", exit_code: 2, signal: null, message: "ended with exit code 2" },
  ...{ failed_at: "2026-11-20T02:30:00.000Z", last_line: "disk full" },
};

async function createProject({ token }: TestAccount, server_id: string): Promise<ProjectId> {
  const body = { name: "shop", server_id, repository: "/srv/git/shop.git" };
  const created = await call("/v1/projects", { method: "POST", token, body });
  return z.object({ id: ProjectId }).parse(await created.json()).id;
}

/** The health of a project, which is the same in the list. */
async function healthOf({ token }: TestAccount, projectId: ProjectId) {
  const { health } = Project.parse(await (await call(`/v1/projects/${projectId}`, { token })).json());
  const list = ProjectRows.parse(await (await call("/v1/projects", { token })).json());
  expect(list.health[projectId]).toEqual(health);
  return health;
}

/** The events of what fails or recovers of a project. */
async function healthEvents(projectId: ProjectId) {
  const events = await recordedEvents(projectId);
  return events.filter(({ type }) => type.startsWith("process.") || type.startsWith("cron."));
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

describe("the events of what fails on a server", () => {
  it("tell once that a process crashes and a job fails, also after an outage of D1 and if the link dies", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { account, agent } = await connectServer();
    const projectId = await createProject(account, agent.serverId);
    await agent.connect({ projects: [reportOf(projectId, "live")] });
    await vi.waitFor(async () =>
      expect(await healthOf(account, projectId)).toEqual({ state: "ok", reasons: [] }),
    );

    const outages = databasePrototypes().map((prototype) => failCalls(prototype, "batch"));
    agent.serving(reportOf(projectId, "crash_looping"));
    await vi.waitFor(() => expect(outages.some((outage) => outage.count() > 0)).toBe(true));
    for (const outage of outages) outage.end();
    await evictDurableObject(linkOf(agent));
    await pass(agent, 10);
    await disconnect(agent);
    await agent.connect({ projects: [reportOf(projectId, "crash_looping")] });
    await vi.waitFor(async () => expect((await healthOf(account, projectId)).state).toBe("degraded"));
    agent.status([reportOf(projectId, "crash_looping")]);
    await pass(agent, 10);
    await vi.waitFor(async () => expect(await healthEvents(projectId)).toHaveLength(2));
    const [crash, failure] = await healthEvents(projectId);
    expect(crash).toMatchObject({
      type: "process.crash_looping",
      data: {
        project: { id: projectId, name: "shop" },
        live: null,
        page: `/app/projects/${projectId}/processes`,
        process: { name: "worker", running: 0, desired: 1 },
        ...{ ends: 5, seconds: 21, exit_code: 1, signal: null, last_line: "Error: no queue" },
      },
    });
    expect(failure).toMatchObject({ type: "cron.failed", data: { job: { name: "backup" }, run: failedRun } });
    expect(await healthOf(account, projectId)).toMatchObject({
      state: "degraded",
      reasons: [
        { summary: "worker 0 of 1", detail: "ended with exit code 1" },
        { summary: "cron job backup failed" },
      ],
    });

    await disconnect(agent);
    expect(await healthOf(account, projectId)).toMatchObject({
      state: "unknown",
      reasons: [{ name: "worker" }, {}],
    });
    await pass(agent, 600);
    await agent.connect({ projects: [reportOf(projectId, "live")] });
    await vi.waitFor(async () => expect((await healthEvents(projectId)).at(-1)?.type).toBe("cron.recovered"));
    // The alarm ends a connection that was silent for so long.
    await pass(agent, 300);
    await agent.connect({ projects: [reportOf(projectId, "live")] });
    await vi.waitFor(async () =>
      expect((await healthEvents(projectId)).at(-1)?.type).toBe("process.recovered"),
    );
    expect(await healthEvents(projectId)).toHaveLength(4);
  });

  it("tell of each of several servers of a project", async () => {
    const { account, agent } = await connectServer();
    const other = await enrolAgent(account.token, "web-2");
    const projectId = await createProject(account, agent.serverId);
    const body = { servers: [{ id: agent.serverId }, { id: other.serverId }] };
    await call(`/v1/projects/${projectId}`, { method: "PATCH", token: account.token, body });
    await other.connect({ projects: [reportOf(projectId, "live")] });
    await other.receives("welcome");
    other.serving(reportOf(projectId, "crash_looping"));
    await pass(other, 10);
    const types = async () => (await healthEvents(projectId)).map(({ type }) => type);
    await vi.waitFor(async () => expect(await types()).toContain("process.crash_looping"));
  });

  it("tell nothing of a project that another server serves", async () => {
    const { account, agent } = await connectServer();
    const other = await enrolAgent(account.token, "web-2");
    const projectId = await createProject(account, other.serverId);
    agent.status([reportOf(projectId, "crash_looping")]);
    await other.connect({ projects: [reportOf(projectId, "live")] });
    await vi.waitFor(async () => expect((await healthOf(account, projectId)).state).toBe("ok"));
    expect(await healthEvents(projectId)).toEqual([]);
  });
});
