import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createSites } from "#agent/sites/sites-client.ts";
import type { Place, RunOrder } from "#contract/agent-order.ts";
import { HealthCheck } from "#contract/endpoints/projects/settings.ts";

import { eventsOf, messagesOf, AgentWorld } from "../support/harness.ts";
import { startSites } from "../support/sites-process.ts";
import { notedInstances, runningInstances, smallApp, smallWeb, visit } from "../support/small-app.ts";
import type { FakeRun } from "../../support/fake-control-plane.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.policy = { cron: "any" };
  world.repository.commit(smallApp("one"));
});
afterEach(() => world.close());

const worker = { command: "exec sleep 1000" };
const all = { web: smallWeb, worker, mailer: worker };
const on = (processes: Place["processes"], more: Partial<Place> = {}): Pick<RunOrder, "place"> => ({
  place: { processes, cron: false, ...more },
});
const again = (release: number): Partial<RunOrder> => ({ reuse_release: release, preapproved: true });
const live = { outcome: "live" };
const job = { name: "tick", schedule: "* * * * *", command: "true" };
const health_check = HealthCheck.parse({ path: "/up", tries: 1 });
const drain_seconds = 0;

const reported = (run: FakeRun) =>
  eventsOf(run, "result").flatMap(({ project }) => project.processes?.map(({ name }) => name) ?? ["none"]);

/** The domains of the project here; null: the ingress serves none. */
const site = (): unknown => (world.has("site.json") ? JSON.parse(world.read("site.json")) : null);

const jobsHere = () => {
  const path = world.path("cron.json");
  return existsSync(path) ? /"name":"([^"]+)"/.exec(readFileSync(path, "utf8"))?.[1] : undefined;
};

async function correctTo(release: number): Promise<void> {
  world.control.send({ type: "correct_release", project_id: world.projectId, release });
  await world.control.waitFor("the correction", () =>
    world.control.messages.some(
      (message) => message.type === "serving" && message.project.release === release,
    ),
  );
}

describe("one of several servers of a project", () => {
  it("runs and reports only its processes, and without web it needs no answer at the domain", async () => {
    await world.startAgent();
    const { run, result } = await world.deploy({
      ...{ processes: all, health_check, cron: [job] },
      ...on(["worker", "mailer"]),
    });
    expect(result).toMatchObject({ ...live, evidence: { health_check: null } });
    expect(runningInstances(world)).toEqual(["mailer-1-0", "worker-1-0"]);
    expect(reported(run)).toEqual(["mailer", "worker"]);
    expect([site(), jobsHere()]).toEqual([null, undefined]);
    expect(messagesOf(run)).toContain("nothing to check: other servers serve shop.localhost");
  });

  it("with web serves the domain, and runs the cron jobs if they are its own", async () => {
    await world.startAgent();
    const { run, result } = await world.deploy({
      ...{ processes: all, health_check, cron: [job] },
      ...on(["web"], { cron: true }),
    });
    expect(result).toMatchObject({ ...live, evidence: { health_check: { status: 200 } } });
    expect(runningInstances(world)).toEqual(["web-1-0"]);
    expect(reported(run)).toEqual(["web"]);
    expect(site()).toMatchObject({ domain: "shop.localhost", content: { kind: "app" } });
    expect(jobsHere()).toBe("tick");
  });

  it("runs all processes if its list is null, also new ones", async () => {
    await world.startAgent();
    await world.deploy({ processes: { web: smallWeb }, ...on(null) });
    await world.deploy({ ...again(1), processes: all, drain_seconds, ...on(null) });
    expect(notedInstances(world)).toEqual(["mailer-2-0", "web-1-0", "worker-2-0"]);
  });

  it("applies its part to the processes and jobs of the repository, and logs names that the release lacks", async () => {
    const defined = { processes: all, cron: [{ ...job, name: "of-the-repository" }] };
    world.repository.commit({ "gantry.json": JSON.stringify(defined) });
    await world.startAgent();
    const { run } = await world.deploy(on(["mailer", "cleaner", "web"]));
    expect(reported(run)).toEqual(["web", "mailer"]);
    const missing = "this server should run cleaner, which this release does not have";
    expect(messagesOf(run, "system").filter((line) => line.startsWith("this server"))).toEqual([missing]);
    expect(jobsHere()).toBeUndefined();
    await world.deploy({ ...again(1), ...on(["worker"], { cron: true }) });
    expect(jobsHere()).toBe("of-the-repository");
  });

  it("runs no release command that runs on another server, also not the repository's", async () => {
    const release_command = `echo ran >> ${world.file("ran")}`;
    world.repository.commit({ "gantry.json": JSON.stringify({ release_command }) });
    await world.startAgent();
    expect((await world.deploy({ processes: all, ...on(null, { release: false }) })).result).toMatchObject(
      live,
    );
    expect(world.linesOf("ran")).toEqual([]);
    await world.deploy({ processes: all, ...on(null, { release: true }) });
    expect(world.linesOf("ran")).toEqual(["ran"]);
  });

  it("needs no policy for what runs on other servers", async () => {
    world.policy = { processes: [worker.command], cron: "none", release_commands: "none" };
    await world.startAgent();
    const order = { processes: all, cron: [job], release_command: "make tables" };
    const placed = await world.deploy({ ...order, ...on(["worker"], { release: false }) });
    expect(placed.result).toMatchObject(live);
    expect((await world.deploy({ ...order, ...on(["web"], { release: false }) })).result).toMatchObject({
      failure: { code: "refused_by_policy" },
    });
  });
});

describe("a process that moves to another server", () => {
  it("is stopped here, and the domain is led nowhere if it was web", async () => {
    await world.startAgent();
    await world.deploy({ processes: all, cron: [job] });
    expect([site(), jobsHere()]).toMatchObject([{ domain: "shop.localhost" }, "tick"]);
    const moved = await world.deploy({ ...again(1), processes: all, drain_seconds, ...on(["mailer"]) });
    expect(moved.result).toMatchObject(live);
    expect(reported(moved.run)).toEqual(["mailer"]);
    expect(site()).toBeNull();
    expect(jobsHere()).toBeUndefined();
    await expect.poll(() => runningInstances(world)).toEqual(["mailer-1-0"]);
  });

  it("comes back with an order for the project's only server", async () => {
    await world.startAgent();
    await world.deploy({ processes: all, cron: [job], ...on(["worker"]) });
    await world.deploy({ ...again(1), processes: all, cron: [job] });
    expect(notedInstances(world)).toEqual(["mailer-2-0", "web-2-0", "worker-1-0"]);
    expect(await visit(world)).toBe("one web-2-0");
    expect([site(), jobsHere()]).toMatchObject([{ domain: "shop.localhost" }, "tick"]);
  });

  it("stays if the deployment fails, and visitors still reach it", async () => {
    await world.startAgent();
    await world.deploy({ processes: all, cron: [job] });
    const before = site();
    const broken = { ...all, worker: { command: "exit 4" } };
    const { result } = await world.deploy({ ...again(1), processes: broken, ...on(["worker"]) });
    expect(result).toMatchObject({ failure: { code: "start_failed" } });
    expect(site()).toEqual(before);
    expect(jobsHere()).toBe("tick");
    expect(notedInstances(world)).toEqual(["mailer-1-0", "web-1-0", "worker-1-0"]);
    expect(await visit(world)).toBe("one web-1-0");
  });
});

describe("the part of a project that runs on a server", () => {
  it("stays after a restart and in a correction to another release", async () => {
    const first = await world.startAgent();
    await world.deploy({ processes: all, cron: [job], drain_seconds, ...on(["worker"]) });
    world.repository.commit({ "version.txt": "two" });
    await world.deploy({
      ...{ processes: all, cron: [job], drain_seconds, keep_releases: [1] },
      ...on(["worker"]),
    });
    await first.stop();
    await world.endInstances();
    await world.startAgent();
    await expect.poll(() => runningInstances(world)).toEqual(["worker-2-0"]);
    await correctTo(1);
    await expect.poll(() => runningInstances(world)).toEqual(["worker-1-0"]);
    expect([site(), jobsHere()]).toEqual([null, undefined]);
  });

  it("is kept if none of its processes exist yet", async () => {
    await world.startAgent();
    await world.deploy({ processes: { web: smallWeb }, drain_seconds, ...on(["worker"]) });
    expect(notedInstances(world)).toEqual([]);
    world.repository.commit({ Procfile: `web: ${smallWeb.command}\nworker: ${worker.command}\n` });
    await world.deploy({ drain_seconds, keep_releases: [1], ...on(["worker"]) });
    await world.deploy({ ...again(1), drain_seconds, keep_releases: [1, 2], ...on(["worker"]) });
    await expect.poll(() => notedInstances(world)).toEqual([]);
    await correctTo(2);
    await expect.poll(() => runningInstances(world)).toEqual(["worker-2-0"]);
  });

  it("is forgotten when the project is removed", async () => {
    await world.startAgent();
    await world.deploy({ processes: all, ...on(["worker"]) });
    expect(world.has("place.json")).toBe(true);
    world.control.send({ type: "remove_project", project_id: world.projectId, purge: false });
    await world.control.waitFor("the removal", () =>
      world.control.messages.some(({ type }) => type === "project_removed"),
    );
    expect(world.has("place.json")).toBe(false);
  });
});

describe("a static site on several servers", () => {
  it("is served by each server with all processes or with web, and by no other", async () => {
    world.repository.commit({ "index.html": "hello" });
    const socket = join(world.folder, "sites.sock");
    const server = await startSites({ home: world.home, socket, firstPort: 18480 });
    const sites = createSites(socket, () => undefined);
    const agent = await world.startAgent({}, sites);
    const urlOf = (run: FakeRun) => eventsOf(run, "result")[0]?.project.url;
    const first = await world.deploy({ ...on(null) });
    expect(await (await fetch(`${urlOf(first.run)}`)).text()).toBe("hello");
    const named = await world.deploy({ ...again(1), ...on(["web"]) });
    expect(urlOf(named.run)).toBe(urlOf(first.run));
    const other = await world.deploy({ ...again(1), health_check, ...on(["worker"]) });
    expect(other.result).toMatchObject({ ...live, evidence: { health_check: null } });
    expect(urlOf(other.run)).toBeNull();
    await expect(fetch(`${urlOf(first.run)}`)).rejects.toThrow();
    await agent.stop();
    await world.startAgent({}, sites);
    expect(world.control.lastHello?.projects).toMatchObject([{ release: 1, url: null }]);
    await world.deploy({ keep_releases: [1], ...on(["worker"]) });
    await correctTo(1);
    expect(sites.urlOf(world.projectId)).toBeNull();
    server.kill();
  });
});
