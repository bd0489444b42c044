import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { closeCodes, PROTOCOL_VERSION } from "#contract/agent-protocol.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { Enrollment, Server } from "#contract/endpoints/servers/schemas.ts";
import { AgentLink } from "#worker/objects/agent-link/agent-link.ts";
import { call } from "../../support/worker/call.ts";
import { output } from "../../support/connected-agent/events.ts";
import { faultKinds, Faults, kill, setUpForFaults } from "../../support/worker/faults.ts";
import { aroundCalls, failCalls } from "../../support/worker/intercept.ts";
import { TestProject } from "../../support/worker/project.ts";
import { recordedStatuses } from "../../support/worker/recorded.ts";
import { databasePrototypes } from "../../support/worker/statements.ts";
import { isQuiet, Story } from "../../support/worker/story.ts";
import { LEVEL } from "../../support/connected-agent/agent-socket.ts";

const MINUTE_MS = 60_000;

setUpForFaults();

const pass = (ms: number) => void vi.setSystemTime(Date.now() + ms);
const linkOf = ({ agent }: TestProject) => env.AGENT_LINK.getByName(agent.serverId);
const alarmOf = (project: TestProject) =>
  runInDurableObject(linkOf(project), (_link, { storage }) => storage.getAlarm());

async function serverOf({ agent, token }: TestProject): Promise<Server> {
  return Server.parse(await (await call(`/v1/servers/${agent.serverId}`, { token })).json());
}

async function becomes(project: TestProject, status: Server["status"]): Promise<void> {
  await vi.waitFor(async () => expect((await serverOf(project)).status).toBe(status));
}

async function projectOf({ id, token }: TestProject): Promise<Project> {
  return Project.parse(await (await call(`/v1/projects/${id}`, { token })).json());
}

/** The servers of a project that is being deleted, as its lane stores them. */
async function placementsOf({ id }: TestProject): Promise<string> {
  return await runInDurableObject(env.PROJECT_LANE.getByName(id), (_lane, { storage }) => {
    const query = "SELECT json ->> '$.placements' AS placements FROM lane";
    return storage.sql.exec<{ placements: string }>(query).one().placements;
  });
}

/** What the lane of a deleted project has still to remove; empty: nothing. */
async function leftOf({ id }: TestProject): Promise<unknown> {
  return await runInDurableObject(env.PROJECT_LANE.getByName(id), (_lane, { storage }) =>
    storage.sql.exec("SELECT next FROM project_removal").toArray(),
  );
}

async function alarmRuns(project: TestProject): Promise<void> {
  await runDurableObjectAlarm(linkOf(project));
}

describe("during an outage of the database", () => {
  it("an agent can connect and gets its order, and D1 is updated afterwards", async () => {
    const project = await TestProject.create();
    const { id } = await project.start();
    await project.agent.connect();
    await project.agent.receives("welcome");
    project.agent.cut();
    await becomes(project, "offline");
    const faults = new Faults();
    faults.disable("d1");
    await project.agent.connect();
    const order = await project.agent.orderOf(id);
    faults.enable("d1");
    expect((await serverOf(project)).status).toBe("offline");
    await alarmRuns(project);
    await becomes(project, "healthy");
    await project.agent.completes(order);
    await project.reaches(id, "live");
  });

  it("an agent that disconnects is offline afterwards, and its uptime ends at the disconnect", async () => {
    const project = await TestProject.connected();
    await becomes(project, "healthy");
    pass(20 * MINUTE_MS);
    const faults = new Faults();
    faults.disable("d1");
    project.agent.cut();
    await vi.waitFor(async () => expect(await pendingOf(project)).toBe(true));
    pass(20 * MINUTE_MS);
    faults.enable("d1");
    await alarmRuns(project);
    expect(await serverOf(project)).toMatchObject({ status: "offline", uptime: "50.00%" });
  });

  it("served releases are written later, with retries that back off to one per minute", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    const faults = new Faults();
    faults.disable("d1");
    project.agent.status([
      { project_id: project.id, release: 1, releases: [1], url: "http://127.0.0.1:9001" },
    ]);
    await vi.waitFor(async () => expect(await pendingOf(project)).toBe(true));
    const delays: number[] = [];
    for (let tries = 0; tries < 8; tries += 1) {
      await alarmRuns(project);
      delays.push(((await alarmOf(project)) ?? NaN) - Date.now());
    }
    expect(delays).toEqual(delays.toSorted((a, b) => a - b));
    expect(delays.at(-1)).toBe(MINUTE_MS);
    faults.enable("d1");
    await alarmRuns(project);
    expect((await projectOf(project)).url).toBe("http://127.0.0.1:9001");
    expect(await pendingOf(project)).toBe(false);
  });
});

describe("during an outage of one lane", () => {
  it("the hello stays pending for this lane only, and its answer reaches the agent later", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    await project.deploy();
    project.agent.cut();
    const faults = new Faults();
    faults.disable("lane");
    const report = { project_id: project.id, release: 1, releases: [1, 2], url: null };
    await project.agent.connect({ projects: [report] });
    await project.agent.receives("welcome");
    await vi.waitFor(async () => expect(await pendingOf(project)).toBe(true));
    faults.enable("lane");
    await alarmRuns(project);
    expect(await project.agent.receives("correct_release")).toMatchObject({ release: 2 });
    await becomes(project, "healthy");
  });

  it("a late hello does not end a run that began after it", async () => {
    const project = await TestProject.connected();
    const faults = new Faults();
    const { id } = await project.start();
    await project.agent.orderOf(id);
    project.agent.cut();
    faults.disable("lane");
    await project.agent.connect({ runs: [] });
    await vi.waitFor(async () => expect(await pendingOf(project)).toBe(true));
    faults.enable("lane");
    pass(1000);
    const order = await project.agent.orderOf(id);
    await project.agent.reports(order, { type: "stage", stage: "fetch" }, output("working"));
    await alarmRuns(project);
    await project.agent.completes(order);
    await project.reaches(id, "live");
  });
});

describe("a link that breaks without a close event", () => {
  it("is found by the alarm after its isolate died, and its uptime ends at its last sign of life", async () => {
    const project = await TestProject.connected();
    await becomes(project, "healthy");
    pass(20 * MINUTE_MS);
    const before = (await serverOf(project)).last_seen_at;
    project.agent.status([]);
    await vi.waitFor(async () => expect((await serverOf(project)).last_seen_at).not.toBe(before));
    await kill(() => linkOf(project));
    pass(20 * MINUTE_MS);
    await alarmRuns(project);
    expect(await serverOf(project)).toMatchObject({ status: "offline", uptime: "50.00%" });
    // For the event, which is only written if the agent stays away.
    pass(MINUTE_MS);
    await alarmRuns(project);
    expect(await alarmOf(project)).toBeNull();
  });

  it("is offline after seven minutes without a report, even if D1 was not updated, with the same uptime", async () => {
    const project = await TestProject.connected();
    await becomes(project, "healthy");
    pass(6 * MINUTE_MS);
    expect((await serverOf(project)).status).toBe("healthy");
    pass(2 * MINUTE_MS);
    expect(await serverOf(project)).toMatchObject({ status: "offline" });
    const before = (await serverOf(project)).uptime;
    await alarmRuns(project);
    expect(await serverOf(project)).toMatchObject({ status: "offline", uptime: before });
  });

  it.each([
    ["the agent connects again", "killed", false],
    ["the agent connects again after it had ended first", "agent ended", false],
    ["the overdue alarm runs first", "killed", true],
    ["the overdue alarm runs first, after the agent had ended", "agent ended", true],
  ])(
    "because the control plane did not run takes nothing from the uptime: %s",
    async (_what, how, isAlarmFirst) => {
      const project = await TestProject.connected();
      await becomes(project, "healthy");
      pass(20 * MINUTE_MS);
      // As a start of the control plane would: it runs overdue work.
      const overdue = { isRetry: false, retryCount: 0, scheduledTime: Date.now() + MINUTE_MS };
      project.agent.status([]);
      if (how === "killed") await kill(() => linkOf(project));
      else {
        project.agent.cut();
        await becomes(project, "offline");
      }
      pass(30 * MINUTE_MS);
      if (isAlarmFirst) await runInDurableObject(linkOf(project), (link) => link.alarm(overdue));
      await project.agent.connect();
      await becomes(project, "healthy");
      expect(Number.parseFloat((await serverOf(project)).uptime)).toBeGreaterThan(99.9);
      expect((await recordedStatuses(project.agent.serverId)).join()).toBe("healthy");
    },
  );

  it("is closed by the alarm after a minute without a ping, and the agent can reconnect", async () => {
    const project = await TestProject.connected();
    await becomes(project, "healthy");
    pass(MINUTE_MS + 1);
    await alarmRuns(project);
    await vi.waitFor(() => expect(project.agent.closed?.code).toBe(1001));
    await becomes(project, "offline");
    await project.agent.connect();
    await becomes(project, "healthy");
  });

  it("continues with its state after the object was evicted", async () => {
    const project = await TestProject.connected();
    await evictDurableObject(linkOf(project));
    const { id } = await project.start();
    await project.agent.completes(await project.agent.orderOf(id));
    await project.reaches(id, "live");
    await becomes(project, "healthy");
  });
});

describe("presence and uptime", () => {
  it.each(faultKinds)(
    "are correct in the end if any call is %s while the agent connects, reports and disconnects",
    async (kind) => {
      const faults = new Faults();
      for (let at = 0; ; at += 1) {
        const project = await TestProject.create({ name: `shop-${at}` });
        const story = new Story(project);
        faults.count(at, kind, [() => linkOf(project)]);
        for (let step = 0; step < 4; step += 1) {
          await vi.waitFor(async () => {
            await story.agent.step();
            await alarmRuns(project).catch(() => undefined);
            expect(await story.isLinkQuiet()).toBe(true);
          });
          project.agent.status([]);
          pass(50_000);
        }
        const calls = faults.stop();
        const where = `${kind} at ${at}, ${calls[at]}`;
        expect((await serverOf(project)).status, where).toBe("healthy");
        project.agent.cut();
        await vi.waitFor(async () => {
          // For a link that was lost with its object, without a close event.
          await alarmRuns(project).catch(() => undefined);
          expect((await serverOf(project)).status, where).toBe("offline");
        });
        pass(200_000);
        const { uptime } = await serverOf(project);
        // A link without a close event ends at its last sign of life.
        const least = kind === "killed" ? 35 : 49.9;
        expect(Number.parseFloat(uptime), where).toBeGreaterThan(least);
        expect(Number.parseFloat(uptime), where).toBeLessThanOrEqual(50.1);
        await alarmRuns(project);
        const told = (await recordedStatuses(project.agent.serverId)).join();
        expect(told, where).toMatch(/^(healthy,offline,?)+$/);
        if (calls.length <= at) break;
      }
    },
  );
});

describe("during an outage of the link", () => {
  it("a server that serves the wrong release after a late result gets its correction afterwards", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    await project.agent.reports(order, { type: "stage", stage: "fetch" }, { type: "ready" });
    project.agent.cut();
    const report = (release: number) => ({ project_id: project.id, release, releases: [1, 2], url: null });
    await project.agent.connect({ projects: [report(1)] });
    await project.reaches(id, "failed");
    const faults = new Faults();
    faults.disable("link");
    const evidence = { target: "releases/2", commit_sha: "a".repeat(40), health_check: null };
    const result = { outcome: "live" as const, release: 2, evidence };
    await project.agent.reports(order, { type: "result", result, project: report(2) });
    await kill(() => env.PROJECT_LANE.getByName(project.id));
    faults.enable("link");
    expect(project.agent.received.some(({ type }) => type === "correct_release")).toBe(false);
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(env.PROJECT_LANE.getByName(project.id));
      expect(await project.agent.receives("correct_release")).toMatchObject({ release: 1 });
    });
  });
});

describe("two links of one credential", () => {
  it("the older one is ignored: its status, a late hello and its close", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    const newer = project.agent.sameAgent();
    let older: WebSocket | undefined;
    await runInDurableObject(linkOf(project), (_link, state) => void ([older] = state.getWebSockets()));
    await newer.connect({ projects: [{ project_id: project.id, release: 1, releases: [1], url: null }] });
    await vi.waitFor(() => expect(project.agent.closed?.code).toBe(closeCodes.replaced));
    const disk = { total_bytes: 1, free_bytes: 1 };
    const projects = [{ project_id: project.id, release: 9, releases: [9], url: "http://127.0.0.1:9999" }];
    const hello = {
      ...LEVEL,
      capabilities: [],
      deploy_keys: [],
      type: "hello",
      protocol: PROTOCOL_VERSION,
      agent_version: "0",
      disk,
      projects,
      runs: [],
    };
    await runInDurableObject(linkOf(project), async (link, state) => {
      const late = older;
      if (late === undefined) throw new Error("there was no older link");
      for (const message of [hello, { type: "status", ...LEVEL, disk, projects }])
        await link.webSocketMessage(late, JSON.stringify(message));
      await link.webSocketClose(late, 1006);
      expect(state.getWebSockets().filter((one) => one.readyState === WebSocket.OPEN)).toHaveLength(1);
    });
    expect(newer.closed).toBeNull();
    expect(await serverOf(project)).toMatchObject({ status: "healthy", disk: { total_bytes: 100e9 } });
    expect((await projectOf(project)).url).not.toBe("http://127.0.0.1:9999");
  });
});

describe("a change that the link was not notified of", () => {
  it("a new enrolment is found at the next check, and the older agent is disconnected", async () => {
    const project = await TestProject.connected();
    const faults = new Faults();
    const path = `/v1/servers/${project.agent.serverId}/enrollment`;
    const { token } = Enrollment.parse(await (await project.post(path, {})).json());
    faults.disable("link");
    const body = { token, hostname: "web-1", agent_version: "0.2.0" };
    expect((await call("/v1/agent/enroll", { method: "POST", body })).status).toBe(201);
    faults.enable("link");
    expect(project.agent.closed).toBeNull();
    await alarmRuns(project);
    await vi.waitFor(() => expect(project.agent.closed?.code).toBe(closeCodes.credentialRevoked));
    await becomes(project, "offline");
  });

  it("a deletion of its server is found within a minute, and the waiting lanes are notified", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    project.agent.cut();
    await becomes(project, "offline");
    expect((await project.remove("?purge=true")).status).toBe(204);
    await vi.waitFor(async () => expect(await placementsOf(project)).toContain("leaving"));
    // Otherwise the removal of its logs and builds would be counted.
    await vi.waitFor(async () => expect(await leftOf(project)).toEqual([]));
    const faults = new Faults();
    faults.count(3, "refused");
    const deleted = await project.call("DELETE", `/v1/servers/${project.agent.serverId}`);
    const calls = faults.stop().slice(0, 4);
    expect(calls).toEqual(["d1 raw", "link expectRemoval", "d1 batch", "link remove"]);
    expect(deleted.status).toBe(204);
    expect(await placementsOf(project)).toContain("leaving");
    expect(((await alarmOf(project)) ?? Infinity) - Date.now()).toBeLessThanOrEqual(MINUTE_MS);
    await alarmRuns(project);
    await vi.waitFor(async () => expect(await placementsOf(project)).toBe("[]"));
    expect(await alarmOf(project)).toBeNull();
  });

  it("a deletion of its server is found also if the link has read D1 just before it", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    project.agent.cut();
    await becomes(project, "offline");
    expect((await project.remove("?purge=true")).status).toBe(204);
    await vi.waitFor(async () => expect(await placementsOf(project)).toContain("leaving"));
    let deletions = 0;
    for (const owner of databasePrototypes())
      aroundCalls(owner, "batch", async (batch) => {
        // As an enrolment does.
        if (deletions === 0) await linkOf(project).revoke();
        deletions += 1;
        return await batch();
      });
    failCalls(AgentLink.prototype, "remove");
    expect((await project.call("DELETE", `/v1/servers/${project.agent.serverId}`)).status).toBe(204);
    expect(deletions).toBeGreaterThan(0);
    pass(MINUTE_MS);
    await alarmRuns(project);
    await vi.waitFor(async () => expect(await placementsOf(project)).toBe("[]"));
    expect(await alarmOf(project)).toBeNull();
  });

  it("a server that is not deleted gets no checks after a minute", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    project.agent.cut();
    await becomes(project, "offline");
    expect((await project.call("DELETE", `/v1/servers/${project.agent.serverId}`)).status).toBe(409);
    expect(((await alarmOf(project)) ?? Infinity) - Date.now()).toBeLessThanOrEqual(MINUTE_MS);
    pass(MINUTE_MS);
    await alarmRuns(project);
    expect(await alarmOf(project)).toBeNull();
  });
});

describe("a server's disk", () => {
  const gib = 1024 ** 3;
  it.each([
    ["healthy with a twentieth and a GiB free", 20 * gib, gib, "healthy"],
    ["degraded with a byte less than a GiB free", 20 * gib, gib - 1, "degraded"],
    ["degraded with less than a twentieth free", 1000 * gib, 50 * gib - 1, "degraded"],
    ["healthy with exactly a twentieth free", 1000 * gib, 50 * gib, "healthy"],
  ] as const)(
    "is %s, and healthy again after space is freed",
    async (_name, total_bytes, free_bytes, status) => {
      const project = await TestProject.connected();
      const report = (free: number) =>
        project.agent.sendText(
          JSON.stringify({ type: "status", ...LEVEL, disk: { total_bytes, free_bytes: free }, projects: [] }),
        );
      report(free_bytes);
      await vi.waitFor(async () => expect((await serverOf(project)).disk?.free_bytes).toBe(free_bytes));
      expect((await serverOf(project)).status).toBe(status);
      report(total_bytes);
      await becomes(project, "healthy");
    },
  );
});

describe("an agent that connects", () => {
  it("without the live release gets no correction to it, and the project shows the drift", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    await project.deploy();
    project.agent.cut();
    await project.agent.connect({
      projects: [{ project_id: project.id, release: 1, releases: [1], url: null }],
    });
    await vi.waitFor(async () => expect((await projectOf(project)).serving).toMatchObject({ drifted: true }));
    expect(project.agent.received.some((message) => message.type === "correct_release")).toBe(false);
  });

  it("with a run that its lane does not know gets `ended`", async () => {
    const project = await TestProject.connected();
    const { order } = await project.deploy();
    project.agent.cut();
    await project.agent.connect({ runs: [order] });
    const answer = await project.agent.postEvents(order, [{ ...output("late"), seq: 99 }]);
    expect(answer.instruction).toBe("ended");
  });

  it("without the offered run gets the offer again", async () => {
    const project = await TestProject.connected();
    const { id } = await project.start();
    await project.agent.orderOf(id);
    project.agent.cut();
    const fresh = project.agent.sameAgent();
    await fresh.connect();
    await fresh.completes(await fresh.orderOf(id));
    await project.reaches(id, "live");
  });
});

/** Whether the link has pending deliveries. */
async function pendingOf(project: TestProject): Promise<boolean> {
  return await runInDurableObject(linkOf(project), (_link, { storage }) => !isQuiet(storage));
}
