import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";

import { closeCodes, Enrolled, PROTOCOL_VERSION } from "#contract/agent-protocol.ts";
import { ProjectId } from "#contract/ids.ts";
import { LogPage, MAX_LOG_LINE_BYTES } from "#contract/endpoints/logs/schemas.ts";
import { Server, ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { ids } from "../../support/worker/account.ts";
import { call } from "../../support/worker/call.ts";
import { Faults } from "../../support/worker/faults.ts";
import { TestProject } from "../../support/worker/project.ts";
import { perform, type World } from "../../support/worker/world.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";
import { countRequests } from "../../support/worker/request-limits.ts";
import { startInMinute } from "../../support/worker/whole-minute.ts";
import { LEVEL } from "../../support/connected-agent/agent-socket.ts";

countRequests();

const disk = { total_bytes: 100e9, free_bytes: 60e9 };
const reportOf = (project_id: ProjectId) => ({ project_id, release: 1, releases: [1], url: null });
const WithId = z.object({ id: z.string() });
const lanesAsked = (calls: readonly string[]) => calls.filter((name) => name.startsWith("lane"));

async function serverOf({ agent, token }: TestProject): Promise<Server> {
  return Server.parse(await (await call(`/v1/servers/${agent.serverId}`, { token })).json());
}

/** All rows in the storage of the agent's link, by project id. */
async function keptProjects({ agent }: TestProject): Promise<string[]> {
  return await runInDurableObject(env.AGENT_LINK.getByName(agent.serverId), (_link, { storage }) =>
    ["waiting", "said", "serving", "known"].flatMap((table) =>
      storage.sql
        .exec<{ project_id: string }>(`SELECT project_id FROM ${table}`)
        .toArray()
        .map((row) => row.project_id),
    ),
  );
}

/** Sends a status with another disk and waits until it is visible: then all earlier messages were handled. */
async function settle(project: TestProject, total_bytes: number): Promise<void> {
  project.agent.sendText(
    JSON.stringify({
      type: "status",
      ...LEVEL,
      disk: { total_bytes, free_bytes: total_bytes },
      projects: [],
    }),
  );
  await vi.waitFor(async () => expect((await serverOf(project)).disk).toMatchObject({ total_bytes }));
}

describe("an agent that names projects that are not on its server", () => {
  it("wakes no lane, and stores nothing in its link", async () => {
    const project = await TestProject.create();
    const theirs = await copyWorld("theirs");
    const made = await project.post("/v1/servers", { name: "web-2", ip: "192.0.2.11" });
    const server_id = WithId.parse(await made.json()).id;
    const body = { name: "elsewhere", server_id, repository: "/srv/git/shop.git" };
    const { id } = WithId.parse(await (await project.post("/v1/projects", body)).json());
    const foreign = [ids.project(), theirs.projectId, ProjectId.parse(id)];
    const faults = new Faults();
    faults.count(null);
    await project.agent.connect();
    await project.agent.receives("welcome");
    const runs = foreign.map((project_id) => ({
      project_id,
      deployment_id: theirs.deploymentId,
      run_id: ids.run(),
    }));
    const projects = foreign.map(reportOf);
    const hello = {
      ...LEVEL,
      capabilities: [],
      deploy_keys: [],
      type: "hello",
      protocol: PROTOCOL_VERSION,
      agent_version: "1",
      disk,
      projects,
      runs,
    };
    project.agent.sendText(JSON.stringify(hello));
    for (const projectId of foreign) {
      project.agent.sendText(JSON.stringify({ type: "serving", project: reportOf(projectId) }));
      project.agent.confirmRemoval(projectId, true);
    }
    project.agent.sendText(JSON.stringify({ type: "status", ...LEVEL, disk, projects }));
    await settle(project, 7e9);
    expect(lanesAsked(faults.stop())).toEqual([]);
    expect(await keptProjects(project)).toEqual([]);
  });

  it("gets the lane called for a project that D1 places on its server, without an earlier order", async () => {
    const project = await TestProject.create();
    const faults = new Faults();
    faults.count(null);
    await project.agent.connect({ projects: [reportOf(project.id)] });
    await project.agent.receives("welcome");
    await settle(project, 7e9);
    expect(lanesAsked(faults.stop())).toEqual(["lane reconcile"]);
  });
});

describe("an agent that sends too much", () => {
  it("is disconnected with the code for later, and loses no data", async () => {
    const project = await TestProject.connected();
    const projects = Array.from({ length: 1000 }, () => reportOf(ids.project()));
    for (let count = 0; count < 9; count += 1)
      project.agent.sendText(JSON.stringify({ type: "status", ...LEVEL, disk, projects }));
    await settle(project, 7e9);
    expect(project.agent.closed).toBeNull();
    for (let count = 0; count < 9; count += 1)
      project.agent.sendText(JSON.stringify({ type: "status", ...LEVEL, disk, projects }));
    await vi.waitFor(() => expect(project.agent.closed?.code).toBe(closeCodes.limited));
    await project.agent.connect();
    await project.deploy();
  });

  it("is disconnected after a message that is larger than any valid one", async () => {
    const project = await TestProject.connected();
    const releases = Array.from({ length: 1000 }, (_, at) => Number.MAX_SAFE_INTEGER - at);
    const projects = Array.from({ length: 300 }, () => ({ ...reportOf(ids.project()), releases }));
    project.agent.sendText(JSON.stringify({ type: "status", ...LEVEL, disk, projects }));
    await vi.waitFor(() => expect(project.agent.closed?.code).toBe(closeCodes.malformedMessage));
  });

  it("gets 429 with Retry-After for reports and for its link, while other agents do not", async () => {
    const [mine, other] = [await copyWorld("mine"), await copyWorld("other")];
    const { serverId: key } = mine;
    await startInMinute();
    // The limit in vitest.config.ts.
    await Promise.all(Array.from({ length: 300 }, () => env.AGENT_LIMIT.limit({ key })));
    const link = async (world: World) =>
      await call("/v1/agent/connect", { token: world.credential, headers: { upgrade: "websocket" } });
    for (const refused of [await perform("reportRunEvents", mine), await link(mine)]) {
      expect(refused.status).toBe(429);
      expect(refused.headers.get("retry-after")).toBe("10");
      expect(await refused.json()).toMatchObject({ code: "rate_limited" });
    }
    expect((await perform("reportRunEvents", other)).status).toBe(200);
    expect((await link(other)).status).toBe(101);
  });
});

describe("an agent that reports runs of others", () => {
  it("gets the same answer as for a run that does not exist", async () => {
    const [mine, theirs] = [await TestProject.running(), await copyWorld("theirs")];
    const second = await secondAgentOf(mine.project);
    const ask = async (world: { projectId: string; deploymentId: string; runId: string }) => {
      const answer = await call(`/v1/agent/deployments/${world.deploymentId}/events`, {
        method: "POST",
        token: second,
        body: {
          project_id: world.projectId,
          run_id: world.runId,
          events: [{ seq: 1, type: "stage", stage: "build" }],
        },
      });
      const headers = [...answer.headers].filter(([name]) => name !== "x-request-id");
      const text = (await answer.text()).replace(/req_[0-9a-f]+/, "req_");
      return { status: answer.status, headers, text };
    };
    const { project_id, run_id, deployment_id } = mine.order;
    const none = await ask({
      projectId: ids.project(),
      deploymentId: ids.deployment(),
      runId: ids.run(),
    });
    expect(none).toMatchObject({ status: 200, text: '{"acked_seq":1,"instruction":"ended"}' });
    const runs = [
      { projectId: project_id, deploymentId: deployment_id, runId: run_id },
      { projectId: project_id, deploymentId: deployment_id, runId: ids.run() },
      { projectId: project_id, deploymentId: ids.deployment(), runId: run_id },
      { projectId: theirs.projectId, deploymentId: theirs.deploymentId, runId: ids.run() },
    ];
    for (const run of runs) expect(await ask(run)).toEqual(none);
    expect(await mine.project.deployment(mine.id)).toMatchObject({ status: "building", stage: "build" });
  });
});

describe("a forged line of output", () => {
  /** The build's lines in the log after an agent has reported these lines. */
  async function shownOf(lines: readonly { time: string; message: string }[]) {
    const { project, id, order } = await TestProject.running();
    const reported = lines.map((line) => ({ ...line, stream: "stdout" as const, stage: "build" as const }));
    await project.agent.reports(order, { type: "output", lines: reported });
    const page = LogPage.parse(await (await project.get(`/v1/logs/${id}`)).json());
    const text = await (await project.get(`/v1/logs/${id}`, { accept: "text/plain" })).text();
    const number = page.lines.length - lines.length;
    return {
      lines: page.lines.slice(number),
      texts: text
        .split("\n")
        .slice(number, -1)
        .map((line) => line.slice(page.lines[number]?.time.length)),
    };
  }

  it("gets a time near its arrival, and is not dropped because of its own time", async () => {
    const near = new Date(Date.now() - 3_600_000).toISOString();
    const times = [
      near,
      "yesterday",
      "",
      "2026-01-01T00:00:00Z\nforged",
      "9999-12-31T23:59:59Z",
      "1970-01-01",
    ];
    const { lines } = await shownOf(times.map((time, at) => ({ time, message: `${at}` })));
    expect(lines.map(({ message }) => message)).toEqual(["0", "1", "2", "3", "4", "5"]);
    expect(lines[0]?.time).toBe(near);
    for (const { time } of lines.slice(1)) {
      expect(new Date(time).toISOString()).toBe(time);
      expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(60_000);
    }
  });

  it("is one line of the text log with any content, and its colors do not affect other lines", async () => {
    const forged = `${new Date().toISOString()} end      Live`;
    const { lines, texts } = await shownOf(
      [
        `one\n${forged}`,
        `two\r${forged}`,
        "three\u001b[2K\u001b[1A",
        "four\u001b]0;title\u0007",
        "five\u2028\u202e\u0085",
        "six\u001b[32mgreen",
        "seven\ttab",
      ].map((message) => ({ time: new Date().toISOString(), message })),
    );
    expect(lines[0]?.message).toBe(`one\n${forged}`);
    expect(texts).toEqual([
      ` build    one\\n${forged}`,
      ` build    two\\r${forged}`,
      " build    three\\u001b[2K\\u001b[1A",
      " build    four\\u001b]0;title\\u0007",
      " build    five\\u2028\\u202e\\u0085",
      " build    six\u001b[32mgreen\u001b[0m",
      " build    seven\ttab",
    ]);
  });

  it("has at most 16 KiB in UTF-8", async () => {
    const { lines } = await shownOf([{ time: new Date().toISOString(), message: "€".repeat(16_000) }]);
    expect(lines[0]?.message).toBe("€".repeat(Math.floor(MAX_LOG_LINE_BYTES / 3)));
  });
});

describe("a forged address of a site", () => {
  it.each([
    "https://shop.localhost@evil.test/",
    "http://evil.test/\u001b[2Jshop",
    "http://shop.localhost\u202e/",
  ])("ends the link where it reads as another one: %j", async (url) => {
    const project = await TestProject.connected();
    project.agent.serving({ ...reportOf(project.id), url });
    await vi.waitFor(() => expect(project.agent.closed?.code).toBe(closeCodes.malformedMessage));
  });
});

/** The credential of an agent of another server of the same account. */
async function secondAgentOf(project: TestProject): Promise<string> {
  const created = await project.post("/v1/servers", { name: "web-9", ip: "192.0.2.19" });
  const { enrollment } = ServerCreated.parse(await created.json());
  const body = { token: enrollment.token, hostname: "web-9", agent_version: "0.2.0" };
  const enrolled = await call("/v1/agent/enroll", { method: "POST", body });
  return Enrolled.parse(await enrolled.json()).credential;
}
