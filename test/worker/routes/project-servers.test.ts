import { describe, expect, it, vi } from "vitest";
import * as z from "zod";

import { Project, type ProjectRows } from "#contract/endpoints/projects/schemas.ts";
import { ProjectId } from "#contract/ids.ts";
import { createToken, ids } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { enrolAgent } from "../../support/worker/enrol-agent.ts";
import type { ConnectedAgent } from "../../support/connected-agent/connected-agent.ts";
import { emptyReport } from "../../support/connected-agent/events.ts";
import { deployToAll, prepareAll, resolved } from "../../support/worker/deploy-to-all.ts";
import { recordedEvents } from "../../support/worker/recorded.ts";
import { crashLooping, instanceReport, processReport } from "../../support/process-reports.ts";
import { TestProject } from "../../support/worker/project.ts";

async function read(project: TestProject): Promise<Project> {
  return Project.parse(await (await project.get(`/v1/projects/${project.id}`)).json());
}

const everywhere = (agents: readonly ConnectedAgent[]) =>
  agents.map(({ serverId }) => ({ id: serverId, processes: null, cron: false }));

const failure = { code: "health_check_failed", message: "503 from /up", stage: "verify" } as const;

describe("a project on several servers", () => {
  it("has them in the order of its setting, with the first one as its server", async () => {
    const { project, agents } = await TestProject.onServers(3);
    const shown = await read(project);
    expect(shown.servers).toEqual(everywhere(agents));
    expect(shown.server_id).toBe(agents[0]?.serverId);
    expect(shown.servers_state.map(({ name, status }) => ({ name, status }))).toEqual([
      { name: "web-1", status: "none" },
      { name: "web-2", status: "none" },
      { name: "web-3", status: "none" },
    ]);
    const reordered = everywhere(agents.toReversed());
    const patched = await project.patch({ servers: reordered, rollout: { batch: 2 } });
    expect(patched.status).toBe(200);
    expect(await patched.json()).toMatchObject({
      server_id: agents[2]?.serverId,
      servers: reordered,
      rollout: { order: "rolling", batch: 2, on_failure: "revert" },
    });
    const apps = async (agent: ConnectedAgent | undefined) =>
      await (await project.get(`/v1/servers/${agent?.serverId}`)).json();
    for (const agent of agents) expect(await apps(agent)).toMatchObject({ apps: 1 });
    await project.patch({ servers: reordered.slice(0, 1) });
    expect((await read(project)).servers_state).toEqual([]);
    expect(await apps(agents[0])).toMatchObject({ apps: 0 });
  });

  it("refuses a server that is named twice, too many, two for cron jobs, and servers of another account", async () => {
    const { project, agents } = await TestProject.onServers(2);
    const [one, two] = everywhere(agents);
    const stranger = await enrolAgent((await TestProject.create()).token, "other");
    const refused = async (servers: unknown, pointer: string) => {
      const response = await project.patch({ servers });
      expect(response.status).toBe(422);
      const problem = await problemOf(response);
      expect(problem).toMatchObject({ code: "invalid_request", errors: [{ pointer }] });
    };
    await refused([one, two, one], "/servers/2/id");
    await refused([], "/servers");
    await refused(
      Array.from({ length: 51 }, () => ({ id: ids.server() })),
      "/servers",
    );
    await refused(
      [
        { ...one, cron: true },
        { ...two, cron: true },
      ],
      "/servers/1/cron",
    );
    await refused([{ ...one, processes: ["web", "web"] }, two], "/servers/0/processes/1");
    await refused([one, { id: stranger.serverId }], "/servers/1/id");
    await refused([one, { id: ids.server() }], "/servers/1/id");
    expect((await read(project)).servers).toEqual(everywhere(agents));
  });

  it("refuses another server_id, which would leave out the others, unless servers says the same", async () => {
    const { project, agents } = await TestProject.onServers(2);
    const [one, two] = everywhere(agents);
    const alone = await project.patch({ server_id: two?.id });
    expect(alone.status).toBe(422);
    expect(await problemOf(alone)).toMatchObject({ errors: [{ pointer: "/server_id" }] });
    const other = await project.patch({ server_id: one?.id, servers: [two, one] });
    expect(await problemOf(other)).toMatchObject({ errors: [{ pointer: "/server_id" }] });
    expect((await project.patch({ server_id: two?.id, servers: [two, one] })).status).toBe(200);
    expect((await project.patch({ servers: [one] })).status).toBe(200);
    expect((await project.patch({ server_id: two?.id })).status).toBe(200);
  });

  it("keeps its servers if a token that is limited to it changes them", async () => {
    const { project, agents, accountId } = await TestProject.onServers(2);
    const { secret } = await createToken(accountId, { projectIds: [project.id] });
    const ask = async (servers: unknown) =>
      await call(`/v1/projects/${project.id}`, { method: "PATCH", token: secret, body: { servers } });
    const [one, two] = everywhere(agents);
    expect(await problemOf(await ask([one]))).toMatchObject({ code: "insufficient_scope" });
    expect(await problemOf(await ask([two, one]))).toMatchObject({ code: "insufficient_scope" });
    expect((await ask([one, { ...two, cron: true }])).status).toBe(200);
  });

  it("is degraded in the list of projects if something does not work on a server, and an event names it", async () => {
    const { project, agents, accountId } = await TestProject.onServers(2);
    await deployToAll(project, agents);
    const listed = async () =>
      (await (await project.get("/v1/projects")).json<ProjectRows>()).health[project.id];
    await expect.poll(listed).toEqual({ state: "ok", reasons: [] });
    const looping = processReport("worker", { instances: [instanceReport("worker-1-0", crashLooping)] });
    const report = { project_id: ProjectId.parse(project.id), release: 1, releases: [1], url: null };
    agents[1]?.status([{ ...report, processes: [looping] }]);
    await expect.poll(listed).toMatchObject({
      state: "degraded",
      reasons: [{ summary: expect.stringMatching(/ on web-2$/) }],
    });
    expect((await read(project)).health).toEqual(await listed());
    const crashes = async () =>
      (await recordedEvents(accountId)).flatMap(({ type, data }) =>
        "process" in data ? [[type, data.server]] : [],
      );
    const server = { id: agents[1]?.serverId, name: "web-2" };
    await expect.poll(crashes).toEqual([["process.crash_looping", server]]);
  });

  it("shows what its first server serves as soon as it is live there, if another one was the first", async () => {
    const { project, agents } = await TestProject.onServers(3);
    const [first, second, third] = agents;
    if (first === undefined || second === undefined || third === undefined) throw new Error("no servers");
    await deployToAll(project, agents);
    await project.patch({ servers: everywhere([third, second]) });
    await deployToAll(project, [third, second]);
    expect((await read(project)).serving).toMatchObject({ version: 2, drifted: false });
  });

  it("shows what its first server has reported before there were several", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    const other = await enrolAgent(project.token, "web-2");
    const servers = [project.agent, other].map(({ serverId }) => ({ id: serverId }));
    expect((await project.patch({ servers })).status).toBe(200);
    const [first, second] = (await read(project)).servers_state;
    expect(first).toMatchObject({ status: "live", version: 1 });
    expect(second).toMatchObject({ status: "unknown", version: null });
  });

  it("does not show what one server serves as what another one does, which became the first", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    const other = await enrolAgent(project.token, "web-2");
    await other.connect();
    const servers = [other, project.agent].map(({ serverId }) => ({ id: serverId }));
    expect((await project.patch({ servers })).status).toBe(200);
    const [first, second] = (await read(project)).servers_state;
    expect(first).toMatchObject({
      name: "web-2",
      status: "unknown",
      version: null,
      checked_at: null,
      url: null,
    });
    expect(second).toMatchObject({ status: "live", version: 1, checked_at: expect.any(String) });
  });

  it("shows what a server serves that has left and returned as soon as it reports it again", async () => {
    const { project, agents } = await TestProject.onServers(2);
    await deployToAll(project, agents);
    const [one, two] = everywhere(agents);
    const state = async () => (await read(project)).servers_state[1];
    await expect.poll(state).toMatchObject({ status: "live", version: 1 });
    await project.patch({ servers: [one] });
    await project.patch({ servers: [one, two] });
    expect(await state()).toMatchObject({ status: "unknown", version: null, checked_at: null });
    const report = { project_id: ProjectId.parse(project.id), release: 1, releases: [1], url: null };
    agents[1]?.status([report]);
    await expect.poll(state).toMatchObject({ status: "live", version: 1 });
    await project.patch({ servers: [two, one] });
    expect((await read(project)).servers_state).toMatchObject([
      { id: two?.id, status: "live", version: 1 },
      { id: one?.id, status: "live", version: 1 },
    ]);
  });

  it("keeps each of its servers from being deleted", async () => {
    const { project, agents } = await TestProject.onServers(2);
    for (const { serverId } of agents) {
      const response = await project.call("DELETE", `/v1/servers/${serverId}`);
      expect(await problemOf(response)).toMatchObject({ code: "server_in_use" });
    }
  });

  it("is named, as are other projects that use a server, if somebody deletes the server", async () => {
    const { project, agents, accountId } = await TestProject.onServers(3);
    await deployToAll(project, agents);
    const [first, second, third] = agents;
    if (first === undefined || second === undefined || third === undefined) throw new Error("no servers");
    await project.patch({ servers: everywhere([first]), build_on: second.serverId });
    for (const agent of [second, third]) {
      agent.answersRequests = true;
      agent.fleet = { port: 8443, http_port: 80, root: "root", address: "10.0.0.3" };
      await agent.connect();
      await agent.receives("welcome");
    }
    const balanced = { type: "balancer", balancers: [second.serverId] };
    const docs = {
      name: "docs",
      server_id: third.serverId,
      repository: "/srv/git/docs.git",
      entry: balanced,
    };
    // As soon as D1 has what their agents can do.
    await expect.poll(async () => (await project.post("/v1/projects", docs)).status).toBe(201);
    const detail = async ({ serverId }: ConnectedAgent, token = project.token) => {
      const response = await call(`/v1/servers/${serverId}`, { method: "DELETE", token });
      return (await problemOf(response)).detail;
    };
    const remedy = (name: string) =>
      `Choose other servers for them with \`gantry projects set\`, deploy them, and delete ${name} then.`;
    expect(await detail(first)).toBe(`web-1 is a server of shop. ${remedy("web-1")}`);
    expect(await detail(second)).toBe(`web-2 builds for shop, and is a balancer of docs. ${remedy("web-2")}`);
    expect(await detail(third)).toBe(
      `web-3 is a server of docs, and still serves shop until the next deployment. ${remedy("web-3")}`,
    );
    const { secret } = await createToken(accountId, { scopes: ["servers:write"] });
    expect(await detail(third, secret)).toBe(
      `web-3 is used by projects that the token may not read. ${remedy("web-3")}`,
    );
  });
});

describe("a deployment to several servers", () => {
  it("switches no server before all are ready, and then each in its turn", async () => {
    const { project, agents } = await TestProject.onServers(3);
    const { id } = await project.start();
    const orders = await prepareAll(agents, id);
    expect(new Set(orders.map(({ run_id }) => run_id)).size).toBe(3);
    const states = async () => (await project.deployment(id)).runs.map(({ status }) => status);
    await expect.poll(states).toEqual(["running", "ready", "ready"]);
    for (const [at, agent] of agents.entries()) {
      const order = orders[at];
      if (order === undefined) throw new Error("no order");
      const switched = Array.from({ length: at }, () => "switched");
      await expect.poll(async () => (await states()).slice(0, at)).toEqual(switched);
      await agent.completes({ ...order, reuse_release: order.version });
    }
    const live = await project.reaches(id, "live");
    expect(live.runs).toMatchObject(
      agents.map(({ serverId }) => ({ server_id: serverId, status: "switched", release: 1 })),
    );
    await expect
      .poll(async () => (await read(project)).servers_state.map(({ status, version }) => [status, version]))
      .toEqual([
        ["live", 1],
        ["live", 1],
        ["live", 1],
      ]);
    const list = async (agent: ConnectedAgent | undefined) =>
      await (await project.get(`/v1/deployments?server_id=${agent?.serverId}`)).json();
    for (const agent of agents) expect(await list(agent)).toMatchObject({ deployments: [{ id }] });
  });

  it("goes back everywhere if a server fails after another has switched, and says where it failed", async () => {
    const { project, agents } = await TestProject.onServers(2);
    await deployToAll(project, agents);
    const { id } = await project.start();
    const [first, second] = agents;
    const [one, two] = await prepareAll(agents, id);
    if (first === undefined || second === undefined || one === undefined || two === undefined)
      throw new Error("two servers");
    await first.completes({ ...one, reuse_release: one.version }, [1]);
    expect(await second.reports(two)).toMatchObject({ instruction: "activate" });
    const served = { project_id: two.project_id, release: 1, releases: [1], url: null };
    const result = { outcome: "failed", failure } as const;
    await second.reports(two, { type: "result", result, project: served });
    const back = await expectOrder(first, id, one.run_id);
    expect(back).toMatchObject({ reuse_release: 1, preapproved: true, version: 2 });
    expect(await project.deployment(id)).toMatchObject({ stage: "activate", waiting_on: null });
    await first.completes(back, [1, 2]);
    const failed = await project.reaches(id, "failed");
    expect(failed.failure).toMatchObject({ ...failure, server_id: second.serverId });
    expect(failed.runs).toMatchObject([
      { server_id: first.serverId, purpose: "deploy", status: "switched" },
      { server_id: second.serverId, purpose: "deploy", status: "failed", failure },
      { server_id: first.serverId, purpose: "revert", status: "switched", release: 1 },
    ]);
    await expect
      .poll(async () => (await read(project)).servers_state.map(({ status, version }) => [status, version]))
      .toEqual([
        ["live", 1],
        ["live", 1],
      ]);
  });

  it("waits for an approval after the first server, if the rollout says so", async () => {
    const canary = { size: 1, approval: true };
    const { project, agents, accountId } = await TestProject.onServers(2, { rollout: { canary } });
    const { id } = await project.start();
    const [first, second] = agents;
    const states = async () =>
      (await read(project)).servers_state.map(({ status, version }) => [status, version]);
    const [one, two] = await prepareAll(agents, id);
    if (first === undefined || second === undefined || one === undefined || two === undefined)
      throw new Error("two servers");
    await first.completes({ ...one, reuse_release: one.version });
    const waitingOn = async () => (await project.deployment(id)).waiting_on;
    await expect.poll(waitingOn).toMatchObject({ type: "approval", until: expect.any(String) });
    expect(await states()).toEqual([
      ["ahead", 1],
      ["none", null],
    ]);
    expect(await second.reports(two)).toMatchObject({ instruction: "continue" });
    const path = `/v1/deployments/${id}/approve`;
    const stale = await project.post(path, {});
    expect([stale.status, await stale.json()]).toMatchObject([409, { code: "hold_changed" }]);
    const { until } = z.object({ until: z.string() }).parse(await waitingOn());
    const approved = await project.post(path, { until });
    expect(approved.status).toBe(200);
    expect(await approved.json()).toMatchObject({ waiting_on: null, approved_by: expect.anything() });
    await second.completes({ ...two, reuse_release: two.version });
    const live = await project.reaches(id, "live");
    for (const { started_at, finished_at } of live.runs)
      expect(Date.parse(finished_at ?? "")).toBeGreaterThanOrEqual(Date.parse(started_at ?? ""));
    const types = (await recordedEvents(accountId)).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith("deployment."))).toEqual([
      "deployment.started",
      "deployment.building",
      "deployment.held",
      "deployment.approved",
      "deployment.live",
    ]);
    const log = await (await project.get(`/v1/logs/${id}`)).text();
    expect(log).toContain("Waiting for an approval: 1 of 2 servers has switched");
  });

  it("shows servers that have switched as ahead, until the others have too or all are back", async () => {
    const canary = { size: 1, approval: true };
    const { project, agents } = await TestProject.onServers(2);
    await deployToAll(project, agents);
    await project.patch({ rollout: { canary } });
    const states = async () =>
      (await read(project)).servers_state.map(({ status, version }) => [status, version]);
    const { id } = await project.start();
    const [one] = await prepareAll(agents, id);
    const [first, second] = agents;
    if (first === undefined || second === undefined || one === undefined) throw new Error("two servers");
    await first.completes({ ...one, reuse_release: one.version }, [1]);
    await expect.poll(states).toEqual([
      ["ahead", 2],
      ["live", 1],
    ]);
    first.cut();
    await expect.poll(async () => (await states())[0]).toEqual(["unknown", 2]);
    await first.connect();
    expect((await project.post(`/v1/deployments/${id}/cancel`)).status).toBe(200);
    const back = await vi.waitFor(async () => {
      const order = await first.orderOf(id);
      return order.run_id === one.run_id ? Promise.reject(new Error("no order")) : order;
    });
    await first.completes(back, [1, 2]);
    await expect.poll(async () => (await states())[0]).toEqual(["live", 1]);
  });

  it("tells by an event that it pauses between two batches", async () => {
    const { project, agents, accountId } = await TestProject.onServers(2, { rollout: { pause_seconds: 60 } });
    const { id } = await project.start();
    const [one] = await prepareAll(agents, id);
    if (one === undefined) throw new Error("two servers");
    await agents[0]?.completes({ ...one, reuse_release: one.version });
    const waitingOn = async () => (await project.deployment(id)).waiting_on;
    await expect.poll(waitingOn).toMatchObject({ type: "batch", until: expect.any(String) });
    const events = async () => (await recordedEvents(accountId)).map(({ type }) => type);
    await expect.poll(events).toContain("deployment.batch");
  });

  it("leaves a server out that is not connected, which gets the release when it is", async () => {
    const rollout = { offline: "skip" };
    const { project, agents, accountId } = await TestProject.onServers(2, { rollout });
    const [first, second] = agents;
    if (first === undefined || second === undefined) throw new Error("two servers");
    second.cut();
    const { id } = await project.start();
    const [one] = await prepareAll([first], id);
    if (one === undefined) throw new Error("no order");
    await first.completes({ ...one, reuse_release: one.version });
    const live = await project.reaches(id, "live");
    expect(live.runs.map(({ status }) => status)).toContain("skipped");
    const log = await (await project.get(`/v1/logs/${id}`)).text();
    expect(log).toContain("Server web-2 is left out, because it is not connected");
    await second.connect();
    const late = await second.orderOf(id);
    await second.reports(late, resolved, { type: "ready" });
    await second.completes({ ...late, reuse_release: late.version });
    const places = async () =>
      (await recordedEvents(accountId)).flatMap(({ type, data }) =>
        "server" in data && "live" in data && !("since" in data)
          ? [[type, data.server.name, data.live.version]]
          : [],
      );
    await expect.poll(places).toEqual([
      ["server.behind", "web-2", 1],
      ["server.caught_up", "web-2", 1],
    ]);
  });

  it("names the server of each line of its log", async () => {
    const { project, agents } = await TestProject.onServers(2);
    const id = await deployToAll(project, agents);
    const log = await (
      await project.get(`/v1/logs/${id}`)
    ).json<{
      lines: { server_id?: string; message: string }[];
    }>();
    const fetched = log.lines.filter(({ message }) => message === "Fetched");
    expect(fetched.map(({ server_id }) => server_id)).toEqual(agents.map(({ serverId }) => serverId));
  });

  it("removes the project from a server that is no longer one of its servers, once the others are live", async () => {
    const { project, agents } = await TestProject.onServers(2);
    await deployToAll(project, agents);
    const [first, second] = agents;
    if (first === undefined || second === undefined) throw new Error("two servers");
    await project.patch({ servers: everywhere([first]) });
    const inUse = await project.call("DELETE", `/v1/servers/${second.serverId}`);
    expect(await problemOf(inUse)).toMatchObject({ code: "server_in_use" });
    await project.deploy();
    expect(await second.confirmsRemoval(project.id)).toEqual({ purge: false });
    expect((await project.call("DELETE", `/v1/servers/${second.serverId}`)).status).toBe(204);
  });

  it("stops everywhere if a server fails before any has switched", async () => {
    const { project, agents } = await TestProject.onServers(2);
    const { id } = await project.start();
    const [first, second] = agents;
    if (first === undefined || second === undefined) throw new Error("two servers");
    const one = await first.orderOf(id);
    await first.reports(one, resolved, { type: "ready" });
    const two = await second.orderOf(id);
    const broken = { code: "build_failed", message: "exit code 1", stage: "build" } as const;
    const result = { outcome: "failed", failure: broken } as const;
    await second.reports(two, resolved, { type: "result", result, project: emptyReport(two) });
    expect(await first.reports(one)).toMatchObject({ instruction: "stop" });
    await first.reportsCanceled(one);
    const failed = await project.reaches(id, "failed");
    expect(failed.runs.map(({ status }) => status)).toEqual(["stopped", "failed"]);
  });
});

describe("a request to one of several servers", () => {
  it("reaches the server that it names: for processes, output, and one-off commands later too", async () => {
    const { project, agents } = await TestProject.onServers(2);
    for (const agent of agents) {
      agent.answersRequests = true;
      await agent.connect();
    }
    const [, second] = agents;
    if (second === undefined) throw new Error("two servers");
    const server_id = second.serverId;
    second.printed = [{ instance: "web-1-0", message: "on the second" }];
    const path = `/v1/projects/${project.id}`;
    const output = async () => await (await project.get(`${path}/output?server_id=${server_id}`)).json();
    await expect.poll(output).toEqual({ lines: second.printed });
    expect((await project.get(`${path}/processes?server_id=${server_id}`)).status).toBe(200);
    const ran = await project.post(`${path}/commands`, { command: "hostname", server_id });
    expect(ran.status).toBe(201);
    const { id } = await ran.clone().json<{ id: string }>();
    expect(await ran.json()).toMatchObject({ server_id });
    expect((await project.get(`${path}/commands/${id}/output`)).status).toBe(200);
    expect(await (await project.get(`${path}/commands`)).json()).toMatchObject({
      commands: [{ id, server_id, status: "exited" }],
    });
    const types = agents.map(({ received }) => [
      ...new Set(received.map(({ type }) => type).filter((type) => /process|output|command/.test(type))),
    ]);
    expect(types).toEqual([
      [],
      ["read_output", "read_processes", "start_command", "read_command", "list_commands"],
    ]);
  });

  it("runs a command on the same server when it is repeated after the servers have changed places", async () => {
    const { project, agents } = await TestProject.onServers(2);
    for (const agent of agents) {
      agent.answersRequests = true;
      await agent.connect();
    }
    const [first, second] = agents;
    if (first === undefined || second === undefined) throw new Error("two servers");
    const path = `/v1/projects/${project.id}`;
    const run = async () =>
      await project.post(`${path}/commands`, { command: "hostname" }, { "idempotency-key": "run-1" });
    const { command } = first;
    first.command = { ok: false, code: "failed", message: "the answer was lost" };
    await expect.poll(async () => (await problemOf(await run())).code).toBe("unavailable");
    await expect.poll(() => first.received.some(({ type }) => type === "start_command")).toBe(true);
    first.command = command;
    const servers = [{ id: second.serverId }, { id: first.serverId }];
    expect((await project.patch({ servers })).status).toBe(200);
    const repeated = await run();
    expect(await repeated.json()).toMatchObject({ server_id: first.serverId });
    expect(second.received.filter(({ type }) => type === "start_command")).toEqual([]);
  });

  it("is refused for a server on which the project does not run", async () => {
    const { project } = await TestProject.onServers(2);
    const path = `/v1/projects/${project.id}`;
    const other = ids.server();
    for (const query of [`/output?server_id=${other}`, `/processes?server_id=${other}`])
      expect(await problemOf(await project.get(`${path}${query}`))).toMatchObject({ code: "not_found" });
    const body = { command: "hostname", server_id: other };
    expect(await problemOf(await project.post(`${path}/commands`, body))).toMatchObject({
      code: "not_found",
    });
  });
});

/** Waits for another order of a deployment. */
async function expectOrder(agent: ConnectedAgent, id: string, before: string) {
  await expect.poll(async () => (await agent.orderOf(id)).run_id).not.toBe(before);
  return await agent.orderOf(id);
}

describe("a server whose agent is too old for a part of a project", () => {
  it("is named when a deployment is started, and gets no order", async () => {
    const { project, agents } = await TestProject.onServers(2);
    const [, second] = agents;
    if (second === undefined) throw new Error("two servers");
    second.capabilities = [];
    await second.connect();
    const start = async () => await project.post(`/v1/projects/${project.id}/deployments`);
    await expect.poll(async () => (await start()).status).toBe(409);
    expect(await problemOf(await start())).toMatchObject({
      code: "agent_outdated",
      detail: expect.stringContaining("The agent of web-2 is too old"),
    });
    const applied = await project.post("/v1/rollback", { project_id: project.id });
    expect(await problemOf(applied)).toMatchObject({ code: "agent_outdated" });
  });
});
