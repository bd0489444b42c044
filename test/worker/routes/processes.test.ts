import { describe, expect, it, vi } from "vitest";

import { DeploymentRows, DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { Processes, type ProcessReport, ProcessUpdated } from "#contract/endpoints/processes/schemas.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { problemOf } from "../../support/worker/call.ts";
import { TestProject } from "../../support/worker/project.ts";

const settings = { processes: { web: { command: "node server.js" }, worker: { command: "npm run worker" } } };

const instance = (state: "live" | "crash_looping", number = 0): ProcessReport["instances"][number] => ({
  name: `web-1-${number}`,
  state,
  started_at: state === "live" ? "2026-11-20T09:14:43.090Z" : null,
  restarts: state === "live" ? 0 : 7,
  memory_bytes: 1_000_000,
  cpu_percent: 2.5,
  last_exit: state === "live" ? null : "ended with exit code 1",
  last_output: state === "live" ? null : "Error: no database",
});

const reported = (...instances: ProcessReport["instances"]): ProcessReport => ({
  name: "web",
  command: "node server.js",
  port: true,
  wanted: instances.length,
  stopped: false,
  instances,
});

const path = (project: TestProject, rest: string) => `/v1/projects/${project.id}/${rest}`;
const read = async (project: TestProject) =>
  Project.parse(await (await project.get(`/v1/projects/${project.id}`)).json());
const processesOf = async (project: TestProject) =>
  Processes.parse(await (await project.get(path(project, "processes"))).json());
const update = async (project: TestProject, name: string, body: unknown) =>
  await project.call("PATCH", path(project, `processes/${name}`), body);

/** Starts a deployment without a build by a request, and completes it. @returns its order */
async function applied(project: TestProject, rest: string, headers = {}) {
  const response = await project.post(path(project, rest), {}, headers);
  expect(response.status).toBe(201);
  const { id } = DeploymentStarted.parse(await response.json());
  const order = await project.agent.orderOf(id);
  await project.agent.completes(order);
  expect(await project.reaches(id, "live")).toMatchObject({ kind: "config", rollback_of: null });
  return order;
}

/** The newest order that the agent has received and not completed. */
async function lastOrder(project: TestProject) {
  return await vi.waitFor(async () => {
    const [order] = project.agent.received
      .flatMap((one) => (one.type === "run" ? [one.order] : []))
      .slice(-1);
    if (order === undefined || (await project.deployment(order.deployment_id)).status !== "building")
      throw new Error("no order");
    return order;
  });
}

describe("a process of a live project", () => {
  it("is restarted, stopped and started by deployments of the live release without a build", async () => {
    const project = await TestProject.connected(settings);
    await project.deploy();
    expect(await applied(project, "processes/web/restart")).toMatchObject({
      version: 2,
      reuse_release: 1,
      preapproved: true,
      restart: ["web"],
      ...settings,
    });
    const stopped = await applied(project, "processes/worker/stop");
    expect(stopped).toMatchObject({ restart: [], processes: { worker: { stopped: true } } });
    const { order } = await project.deploy();
    expect(order.processes).toMatchObject({ worker: { stopped: true } });
    expect((await applied(project, "processes/worker/start")).processes).toEqual(settings.processes);
    expect((await read(project)).processes).toEqual(settings.processes);
  });

  it("gets new settings, and a deployment that puts them into effect", async () => {
    const project = await TestProject.connected(settings);
    await project.deploy();
    const response = await update(project, "web", { instances: 3, memory_mb: 256 });
    const { process, deployment } = ProcessUpdated.parse(await response.json());
    expect(process).toEqual({ name: "web", command: "node server.js", instances: 3, memory_mb: 256 });
    const order = await project.agent.orderOf(deployment?.id ?? "");
    expect(order).toMatchObject({ reuse_release: 1, processes: { web: { instances: 3, memory_mb: 256 } } });
    await update(project, "web", { memory_mb: null, command: null });
    expect((await read(project)).processes).toEqual({
      web: { instances: 3 },
      worker: settings.processes.worker,
    });
  });

  it("runs in the end with all settings that were changed at the same time", async () => {
    const project = await TestProject.connected(settings);
    await project.deploy();
    const changes = ["web", "worker", "web", "worker"].map((name, at) =>
      update(project, name, name === "web" ? { instances: 2 + at } : { tasks: 50 + at }),
    );
    for (const answer of await Promise.all(changes)) expect(answer.status).toBe(200);
    const { processes } = await read(project);
    for (let order = await lastOrder(project); ; order = await lastOrder(project)) {
      await project.agent.completes(order);
      const live = await project.reaches(order.deployment_id, "live");
      const { deployments } = DeploymentRows.parse(
        await (await project.get(path(project, "deployments?status=building"))).json(),
      );
      if (deployments.length > 0) continue;
      expect(live.kind).toBe("config");
      expect(order.processes).toEqual(processes);
      break;
    }
  });

  it("is restarted once by a request that is sent again", async () => {
    const project = await TestProject.connected(settings);
    await project.deploy();
    const headers = { "idempotency-key": "restart-1" };
    const [one, two] = [
      await project.post(path(project, "processes/web/restart"), {}, headers),
      await project.post(path(project, "processes/web/restart"), {}, headers),
    ];
    expect(await two.json()).toEqual(await one.json());
    expect(two.headers.get("idempotent-replayed")).toBe("true");
  });

  it("is 404 if neither settings nor repository nor server name it", async () => {
    const project = await TestProject.connected(settings);
    const { order } = await project.deploy();
    for (const verb of ["restart", "stop", "start"])
      expect(await problemOf(await project.post(path(project, `processes/cron/${verb}`), {}))).toMatchObject({
        status: 404,
        code: "not_found",
      });
    project.agent.serving({
      project_id: order.project_id,
      release: 1,
      releases: [1],
      url: null,
      processes: [{ ...reported(), name: "cron" }],
    });
    await vi.waitFor(async () =>
      expect((await project.post(path(project, "processes/cron/restart"), {})).status).toBe(201),
    );
    expect(await problemOf(await update(project, "wbe", { instances: 2 }))).toMatchObject({
      code: "not_found",
      detail: expect.stringContaining("The project has no process wbe. Did you mean web?"),
    });
    expect((await update(project, "clock", { command: "node clock.js" })).status).toBe(200);
  });
});

describe("a project that is not live", () => {
  it("has nothing to restart, stop or apply, and a refused request changes nothing", async () => {
    const project = await TestProject.create(settings);
    for (const rest of ["processes/web/restart", "processes/web/stop", "processes/web/start", "apply"])
      expect(await problemOf(await project.post(path(project, rest), {}))).toMatchObject({
        status: 409,
        code: "not_live",
      });
    expect((await read(project)).processes).toEqual(settings.processes);
  });

  it("gets settings of a process for its first deployment", async () => {
    const project = await TestProject.connected();
    const answer = await update(project, "web", { instances: 2 });
    expect(await answer.json()).toEqual({ process: { name: "web", instances: 2 }, deployment: null });
    expect((await project.deploy()).order.processes).toEqual({ web: { instances: 2 } });
  });

  it("can have settings for 20 processes", async () => {
    const names = Array.from({ length: 20 }, (_, at) => [`worker-${at}`, { instances: 1 }] as const);
    const project = await TestProject.create({ processes: Object.fromEntries(names) });
    const full = { status: 409, code: "too_many" };
    expect(await problemOf(await update(project, "web", { instances: 1 }))).toMatchObject(full);
    const changes = { processes: { web: { instances: 1 } }, branch: "next" };
    expect(await problemOf(await project.patch(changes))).toMatchObject(full);
    expect((await project.patch({ processes: { ...changes.processes, "worker-0": null } })).status).toBe(200);
    expect(Object.keys((await read(project)).processes)).toContain("web");
  });
});

describe("variables that were changed", () => {
  it("are applied to the live release without a build", async () => {
    const { project } = await TestProject.withKeys();
    await project.deploy();
    expect((await read(project)).variables_applied).toBe(true);
    await project.set({ name: "URL", value: "https://shop.test" });
    expect((await read(project)).variables_applied).toBe(false);
    const order = await applied(project, "apply");
    expect(order).toMatchObject({ reuse_release: 1, variables: { revision: 1 } });
    expect((await read(project)).variables_applied).toBe(true);
  });
});

describe("the processes that a server runs", () => {
  it("are what its agent sees now, with memory and CPU use", async () => {
    const project = await TestProject.create(settings);
    await project.agent.connect({ deployKeys: [] });
    await project.agent.receives("welcome");
    const answer = processesOf(project);
    const { request_id, project_id } = await project.agent.receives("read_processes");
    const processes = [reported(instance("live"))];
    project.agent.answer({ type: "processes_read", request_id, project_id, processes });
    expect(await answer).toMatchObject({ processes, checked_at: expect.stringMatching(/Z$/) });
  });

  it("come from the last report while the server is not connected, without memory and CPU use", async () => {
    const project = await TestProject.connected(settings);
    const sources = { web: "project", worker: "project" };
    expect(await processesOf(project)).toEqual({
      processes: [],
      checked_at: null,
      ingress_problem: null,
      sources,
    });
    const { order } = await project.deploy();
    const report = { project_id: order.project_id, release: 1, releases: [1], url: null };
    project.agent.status([
      { ...report, processes: [reported(instance("live"), instance("crash_looping", 1))] },
    ]);
    await vi.waitFor(async () => expect((await read(project)).processes_state).toBe("crash_looping"));
    project.agent.cut();
    const { processes, checked_at } = await processesOf(project);
    expect(processes[0]?.instances).toMatchObject([
      { state: "live", memory_bytes: null, cpu_percent: null },
      { state: "crash_looping", restarts: 7, last_output: "Error: no database", memory_bytes: null },
    ]);
    expect(checked_at).toMatch(/Z$/);
  });

  it("are forgotten when the server reports none", async () => {
    const project = await TestProject.connected(settings);
    const { order } = await project.deploy();
    const report = { project_id: order.project_id, release: 1, releases: [1], url: null };
    project.agent.serving({ ...report, processes: [reported(instance("live"))] });
    await vi.waitFor(async () => expect((await read(project)).processes_state).toBe("running"));
    project.agent.serving(report);
    await vi.waitFor(async () => expect((await read(project)).processes_state).toBeNull());
  });
});
