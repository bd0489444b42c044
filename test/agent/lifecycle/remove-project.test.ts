import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createSites, noSites, type Sites } from "#agent/sites/sites-client.ts";

import { eventsOf, AgentWorld } from "../support/harness.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { startSites } from "../support/sites-process.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

async function removeProject(purge: boolean): Promise<void> {
  const before = confirmations().length;
  world.control.send({ type: "remove_project", project_id: world.projectId, purge });
  await world.control.waitFor("the confirmation", () => confirmations().length > before);
  expect(confirmations().at(-1)).toEqual({ type: "project_removed", project_id: world.projectId, purge });
}

const confirmations = () => world.control.messages.filter(({ type }) => type === "project_removed");

describe("a project that the agent must remove", () => {
  it("is no longer served, and its releases are removed; shared files and the mirror stay", async () => {
    const agent = await world.startAgent();
    await world.deploy({ shared_paths: ["uploads"] });
    await world.deploy({ shared_paths: ["uploads"], keep_releases: [1] });
    writeFileSync(world.path("shared/uploads/photo"), "mine");
    await removeProject(false);
    expect(world.current).toBeNull();
    expect(world.has("releases/1") || world.has("releases/2") || world.has("releases/2.json")).toBe(false);
    expect(world.read("shared/uploads/photo")).toBe("mine");
    expect(world.has("mirror.git")).toBe(true);
    await agent.stop();
    await world.startAgent();
    expect(world.control.messages.at(-1)).toMatchObject({ projects: [{ release: null, releases: [] }] });
  });

  it("is removed by a purge with all its files, including read-only ones, and without other projects' files", async () => {
    await world.startAgent();
    await world.deploy({ build_command: "mkdir cache && touch cache/x && chmod 500 cache" });
    const other = join(world.home, "projects", "proj_01ec6z1k2g7m3p8r9t0v5w4x2y");
    mkdirSync(other);
    await removeProject(true);
    expect(existsSync(world.path())).toBe(false);
    expect(existsSync(other)).toBe(true);
  });

  it("can be removed again, and removed from a server that never had it", async () => {
    await world.startAgent();
    await removeProject(false);
    await removeProject(true);
    await world.deploy();
    await removeProject(true);
    await removeProject(true);
    await removeProject(false);
    expect(world.current).toBeNull();
  });

  it("is deployed again like a new one", async () => {
    await world.startAgent();
    await world.deploy();
    for (const purge of [false, true]) {
      await removeProject(purge);
      expect((await world.deploy()).result.outcome).toBe("live");
    }
    expect(world.current).toBe("releases/3");
  });

  it("is removed after a current run has ended", async () => {
    await world.startAgent();
    const run = world.control.dispatch(world.order({ build_command: "sleep 0.3" }));
    await world.control.waitFor("the build", () => eventsOf(run, "stage").length === 2);
    await removeProject(false);
    expect((await world.control.result(run)).outcome).toBe("live");
    expect(world.current).toBeNull();
  });

  it("is removed before an order that follows immediately, which still runs", async () => {
    await world.startAgent();
    await world.deploy();
    world.control.send({ type: "remove_project", project_id: world.projectId, purge: true });
    const { result } = await world.deploy();
    expect(result.outcome).toBe("live");
    expect(world.current).toBe("releases/2");
  });

  it("is not confirmed when the removal fails, so that it is requested again", async () => {
    let isAnswering = false;
    const sites: Sites = {
      ...noSites,
      async unregister() {
        if (!isAnswering) throw new Error("the site server does not answer");
      },
    };
    await world.startAgent({}, sites);
    await world.deploy();
    world.control.send({ type: "remove_project", project_id: world.projectId, purge: true });
    await world.control.waitFor("the log line", () =>
      world.logLines.some((line) => /could not be removed/.test(line)),
    );
    expect(confirmations()).toEqual([]);
    isAnswering = true;
    await removeProject(true);
  });
});

describe("the site of a removed project", () => {
  it("is closed and does not return with the site server, and its port is free again", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gantry-s-"));
    const socket = join(folder, "s.sock");
    const start = () => startSites({ home: folder, socket, firstPort: 18410 });
    let server = await start();
    const sites = createSites(socket, (line) => void world.logLines.push(line));
    await world.startAgent({}, sites);
    const { result } = await world.deploy();
    expect(result.outcome).toBe("live");
    const url = sites.urlOf(world.projectId);
    if (url === null) throw new Error(`no site: ${world.logLines.join("; ")}`);
    expect(await (await fetch(url)).text()).toBe("one");
    await removeProject(false);
    expect(sites.urlOf(world.projectId)).toBeNull();
    await expect(fetch(url)).rejects.toThrow();
    server.kill("SIGKILL");
    // Otherwise the earlier server's answer could be mistaken for its own.
    rmSync(socket, { force: true });
    server = await start();
    await expect(fetch(url)).rejects.toThrow();
    await world.deploy();
    expect(sites.urlOf(world.projectId)).not.toBeNull();
    server.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  it("is also closed on a full disk, and its removal frees space", async () => {
    const disk = mountSmallDisk(world.home, 8 * 1024 * 1024);
    world.cleanUps.push(() => disk.unmount());
    const socket = join(world.folder, "s.sock");
    const server = await startSites({ home: world.home, socket, firstPort: 18430 });
    world.cleanUps.unshift(() => void server.kill("SIGKILL"));
    const sites = createSites(socket, (line) => void world.logLines.push(line));
    await world.startAgent({}, sites);
    await world.deploy();
    const url = sites.urlOf(world.projectId);
    if (url === null) throw new Error(`no site: ${world.logLines.join("; ")}`);
    await expect.poll(() => world.has("run.json")).toBe(false);
    disk.fill(0);
    await removeProject(true);
    expect(world.has()).toBe(false);
    await expect(fetch(url)).rejects.toThrow();
  });
});
