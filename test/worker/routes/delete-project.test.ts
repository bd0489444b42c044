import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createToken, ids } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { laneOf, TestProject } from "../../support/worker/project.ts";
import { createWorld } from "../../support/worker/world.ts";
import { DAY_MS, laneTables, remains } from "../../support/worker/remains.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("deleting a project", () => {
  it("deletes its deployments, its logs and its lane, but not its server", async () => {
    const project = await TestProject.connected();
    const { id } = await project.deploy();
    await project.deploy();
    await vi.waitFor(async () => expect((await remains(project)).logs).toBe(2));
    const deleted = await project.remove();
    expect([deleted.status, await deleted.text()]).toEqual([204, ""]);
    expect((await remains(project)).rows).toBe(0);
    for (const path of [`/v1/projects/${project.id}`, `/v1/deployments/${id}`, `/v1/logs/${id}`])
      expect((await project.get(path)).status).toBe(404);
    expect((await project.remove()).status).toBe(404);
    await vi.waitFor(async () => expect((await remains(project)).logs).toBe(0));
    expect(await laneTables(project)).toMatchObject({ deployments: 0, log_heads: 0, project_removal: 0 });
    expect(project.agent.received.filter(({ type }) => type === "remove_project")).toEqual([]);
  });

  it("makes its name and its domain available at once", async () => {
    const project = await TestProject.create({ domain: "www.example.com" });
    expect((await project.remove()).status).toBe(204);
    const body = { name: "shop", server_id: project.agent.serverId, repository: "/srv/git/x.git" };
    expect((await project.post("/v1/projects", { ...body, domain: "www.example.com" })).status).toBe(201);
  });

  it("is refused while a deployment is running, queued or being stopped", async () => {
    const project = await TestProject.connected();
    const { id } = await project.start();
    const busy = { status: 409, code: "project_busy" };
    expect(await problemOf(await project.remove())).toMatchObject(busy);
    const order = await project.agent.orderOf(id);
    await project.agent.reports(order, { type: "stage", stage: "fetch" });
    expect(await problemOf(await project.remove("?purge=true"))).toMatchObject(busy);
    await project.delete(id);
    expect(await problemOf(await project.remove())).toMatchObject(busy);
    await project.agent.reportsCanceled(order);
    await vi.waitFor(async () => expect((await project.remove()).status).toBe(204));
  });

  it("or a start at the same time succeeds, but not both", async () => {
    for (let round = 0; round < 4; round += 1) {
      const project = await TestProject.create();
      const both = [project.remove(), project.post(`/v1/projects/${project.id}/deployments`)];
      const [deleted, started] = await Promise.all(round % 2 === 0 ? both : both.toReversed());
      const statuses = [deleted, started].map((response) => String(response?.status)).toSorted();
      expect(["201,409", "204,404"].map((pair) => pair.split(",").toSorted())).toContainEqual(statuses);
      expect((await remains(project)).rows).toBe(statuses.includes("204") ? 0 : 2);
    }
  });

  it("needs the scope to write projects and access to this one", async () => {
    const { account, projectId } = await createWorld();
    const other = await createToken(account.id, { projectIds: [ids.project()] });
    const remove = (token: string) => call(`/v1/projects/${projectId}`, { method: "DELETE", token });
    expect((await remove(other.secret)).status).toBe(404);
    const reader = await createToken(account.id, { scopes: ["projects:read"] });
    expect((await remove(reader.secret)).status).toBe(403);
  });

  it.each(["purge=yes", "purge=", "prune=true", "purge=true&purge=true"])("refuses ?%s", async (query) => {
    const project = await TestProject.create();
    expect((await project.remove(`?${query}`)).status).toBe(422);
    expect((await remains(project)).rows).toBe(1);
  });
});

describe("the agent of a deleted project", () => {
  it("continues to serve it without purge, and its reports change nothing", async () => {
    const project = await TestProject.connected();
    const { order } = await project.deploy();
    expect((await project.remove("?purge=false")).status).toBe(204);
    const report = { project_id: project.id, release: 1, releases: [1], url: null };
    project.agent.status([report]);
    project.agent.cut();
    await project.agent.connect({ projects: [report] });
    await project.agent.receives("welcome");
    const late = { ...order, run_id: ids.run() };
    expect(await project.agent.reports(late, { type: "ready" })).toMatchObject({ instruction: "ended" });
    expect(
      project.agent.received.filter(({ type }) => type === "remove_project" || type === "correct_release"),
    ).toEqual([]);
    expect((await remains(project)).rows).toBe(0);
  });

  it("gets the order to remove its files with purge", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    expect((await project.remove("?purge=true")).status).toBe(204);
    expect(await project.agent.confirmsRemoval(project.id)).toEqual({ purge: true });
    project.agent.received.length = 0;
    project.agent.cut();
    await project.agent.connect();
    await project.agent.receives("welcome");
    expect(project.agent.received).toHaveLength(1);
  });

  it("needs no order if its server is deleted too", async () => {
    const project = await TestProject.create();
    expect((await project.remove("?purge=true")).status).toBe(204);
    expect((await project.call("DELETE", `/v1/servers/${project.agent.serverId}`)).status).toBe(204);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31 * DAY_MS });
    await runDurableObjectAlarm(laneOf(project));
    expect(await laneTables(project)).toMatchObject({ lane: 0 });
  });
});
