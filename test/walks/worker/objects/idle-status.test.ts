import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";

import type { ProjectReport } from "#contract/agent-protocol.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { ProjectId } from "#contract/ids.ts";
import { type ConnectedAgent } from "../../../support/connected-agent/connected-agent.ts";
import { createAccount } from "../../../support/worker/account.ts";
import { call } from "../../../support/worker/call.ts";
import { enrolAgent } from "../../../support/worker/enrol-agent.ts";
import { aroundCalls, failCalls } from "../../../support/worker/intercept.ts";
import { TestProject } from "../../../support/worker/project.ts";
import { countRoundTrips } from "../../../support/worker/round-trips.ts";
import { databasePrototypes, recordStatements } from "../../../support/worker/statements.ts";

const STATUS_MS = 180_000;
const DAY_MS = 86_400_000;

const Meta = z.object({ meta: z.object({ rows_written: z.number() }) });
const Cursor = z.object({ rowsWritten: z.number() });

const app: NonNullable<ProjectReport["processes"]>[number] = {
  name: "web",
  command: "node server.js",
  port: true,
  wanted: 2,
  stopped: false,
  instances: [0, 1].map((number) => ({
    name: `web-1-${number}`,
    state: "live",
    started_at: "2026-11-20T09:14:43.090Z",
    restarts: 0,
    memory_bytes: 83_886_080 + number,
    cpu_percent: 1.5,
    last_exit: null,
    last_output: null,
  })),
};

const report = (project_id: ProjectId, release = 1): ProjectReport => ({
  ...{ project_id, release, releases: [1, 2], url: null },
  processes: [app],
});

/** A connected server with projects, each with a release and a process. */
async function connectServer(apps: number): Promise<{ agent: ConnectedAgent; reports: ProjectReport[] }> {
  const { token } = await createAccount();
  const agent = await enrolAgent(token);
  const reports: ProjectReport[] = [];
  for (let number = 0; number < apps; number += 1) {
    const body = { name: `app ${number}`, server_id: agent.serverId, repository: "/srv/git/shop.git" };
    const created = await call("/v1/projects", { method: "POST", token, body });
    reports.push(report(z.object({ id: ProjectId }).parse(await created.json()).id));
  }
  await agent.connect({ projects: reports });
  await agent.receives("welcome");
  return { agent, reports };
}

const markOf = async ({ serverId }: ConnectedAgent) =>
  await env.DB.prepare(
    "SELECT reports_checked_at AS checked, reports_digest AS digest FROM servers WHERE id = ?",
  )
    .bind(serverId)
    .first<{ checked: number | null; digest: string | null }>();

const linkOf = ({ serverId }: ConnectedAgent) => env.AGENT_LINK.getByName(serverId);

/** Sends a status three minutes after the last message, and waits until D1 has it. */
async function report3MinutesLater(agent: ConnectedAgent, reports: ProjectReport[]): Promise<void> {
  vi.setSystemTime(Date.now() + STATUS_MS);
  agent.status(reports);
  await vi.waitFor(async () => {
    expect((await markOf(agent))?.checked).toBe(Date.now());
    expect(
      (await runInDurableObject(linkOf(agent), (_link, { storage }) => storage.getAlarm())) ?? 0,
    ).toBeGreaterThan(Date.now() + 30_000);
  });
}

/** Counts what a status writes: rows of D1, statements, round trips, and rows of the link's own tables. */
async function costOf(agent: ConnectedAgent, reports: ProjectReport[]) {
  let rowsWritten = 0;
  const count = async (act: () => unknown) => {
    const result: unknown = await act();
    for (const { meta } of z.array(Meta).parse(Array.isArray(result) ? result : [result]))
      rowsWritten += meta.rows_written;
    return result;
  };
  const statement: object = Object.getPrototypeOf(env.DB.prepare("select 1"));
  const stops = [
    ...["run", "all"].map((method) => aroundCalls(statement, method, count)),
    ...databasePrototypes().map((prototype) => aroundCalls(prototype, "batch", count)),
  ];
  let ownRows = 0;
  await runInDurableObject(linkOf(agent), (_link, { storage }) => {
    const exec = (act: () => unknown) => {
      const cursor = act();
      ownRows += Cursor.parse(cursor).rowsWritten;
      return cursor;
    };
    stops.push(aroundCalls(Object.getPrototypeOf(storage.sql), "exec", exec));
  });
  const prepared = recordStatements();
  const writes = () => prepared.filter((text) => !text.trimStart().toLowerCase().startsWith("select")).length;
  const { lane } = await countRoundTrips(() => report3MinutesLater(agent, reports));
  for (const stop of stops) stop();
  return { rowsWritten, writes: writes(), lane, ownRows };
}

afterEach(() => void vi.useRealTimers());

describe("the status of a server on which nothing changes", () => {
  it("writes one row, with 20 apps as without any", async () => {
    const [empty, full] = [await connectServer(0), await connectServer(20)];
    for (const { agent, reports } of [empty, full]) await report3MinutesLater(agent, reports);
    const without = await costOf(empty.agent, empty.reports);
    expect(without).toEqual({ rowsWritten: 1, writes: 1, lane: 0, ownRows: 0 });
    expect(await costOf(full.agent, full.reports)).toEqual(without);
    const { results } = await env.DB.prepare("SELECT reported_processes FROM projects").all();
    expect(results).toHaveLength(20);
    expect(String(results[0]?.["reported_processes"])).toContain("web-1-1");
  });

  it("sets the time at which its projects were last checked", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    const checkedAt = async () => {
      const answer = await call(`/v1/projects/${project.id}`, { token: project.token });
      return Project.parse(await answer.json()).serving?.checked_at;
    };
    for (let times = 0; times < 3; times += 1) {
      await report3MinutesLater(project.agent, [report(project.id)]);
      expect(await checkedAt()).toBe(new Date().toISOString());
    }
    const last = new Date().toISOString();
    // The server was installed again, and its new agent has no files of the project.
    project.agent.cut();
    project.agent.received.length = 0;
    await project.agent.connect();
    await project.agent.receives("welcome");
    await report3MinutesLater(project.agent, []);
    await report3MinutesLater(project.agent, []);
    expect(await checkedAt()).toBe(last);
  });

  it("writes all rows once a day, in case somebody changed one", async () => {
    const { agent, reports } = await connectServer(2);
    await report3MinutesLater(agent, reports);
    await env.DB.prepare("UPDATE projects SET serving_release = 9").run();
    vi.setSystemTime(Date.now() + DAY_MS);
    await report3MinutesLater(agent, reports);
    expect(await servedReleases()).toEqual([1, 1]);
  });
});

describe("a status after another write to D1", () => {
  it("writes the earlier release again, if it is served again after a run", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    const before = [report(project.id)];
    await report3MinutesLater(project.agent, before);
    await report3MinutesLater(project.agent, before);
    await project.deploy();
    expect(await servedReleases()).toEqual([2]);
    await report3MinutesLater(project.agent, before);
    expect(await servedReleases()).toEqual([1]);
  });

  it("writes the earlier release again after a single change", async () => {
    const { agent, reports } = await connectServer(2);
    await report3MinutesLater(agent, reports);
    const [first] = reports;
    if (first === undefined) throw new Error("no report");
    vi.setSystemTime(Date.now() + 1);
    agent.serving({ ...first, release: 2 });
    await vi.waitFor(async () => expect(await servedReleases()).toContain(2));
    await report3MinutesLater(agent, reports);
    expect(await servedReleases()).toEqual([1, 1]);
  });

  it("is written by the alarm if the first write of its reports fails", async () => {
    const { agent, reports } = await connectServer(2);
    await report3MinutesLater(agent, reports);
    const failures = databasePrototypes().map((prototype) => failCalls(prototype, "batch", { times: 1 }));
    vi.setSystemTime(Date.now() + STATUS_MS);
    agent.status(reports.map(({ project_id }) => report(project_id, 2)));
    await vi.waitFor(() => expect(failures.some((one) => one.count() === 1)).toBe(true));
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(linkOf(agent));
      expect(await servedReleases()).toEqual([2, 2]);
    });
    expect((await markOf(agent))?.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it("does not count as recorded while a report is about a project of another server", async () => {
    const { agent, reports } = await connectServer(2);
    const move = async (serverId: string) =>
      await env.DB.prepare("UPDATE projects SET server_id = ? WHERE name = 'app 0'").bind(serverId).run();
    await move("srv_other");
    const served = reports.map(({ project_id }) => report(project_id, 2));
    await report3MinutesLater(agent, served);
    expect((await markOf(agent))?.digest).toBeNull();
    await move(agent.serverId);
    await report3MinutesLater(agent, served);
    expect((await markOf(agent))?.digest).not.toBeNull();
    expect(await servedReleases()).toEqual([2, 2]);
  });
});

async function servedReleases(): Promise<unknown[]> {
  const { results } = await env.DB.prepare("SELECT serving_release AS release FROM projects").all();
  return results.map(({ release }) => release);
}
