import { readFile } from "node:fs/promises";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { Host } from "../../support/faults/host.ts";
import { createInstallation, type Installation } from "../../support/faults/installation.ts";
import { createSite, type Site } from "../../support/faults/site.ts";
import { type SiteVisitor, visitSite } from "../../support/faults/site-visitor.ts";
import { removeHome } from "../../support/journey-system.ts";
import { sampleOf } from "../../support/sample.ts";

const NAMES = ["one", "two", "three"];
const VISIT_EVERY_MS = 25;

let installation: Installation;
let hosts: Host[];

beforeAll(async () => {
  installation = await createInstallation();
  hosts = [];
  for (const name of NAMES) hosts.push(await installation.addServer(name));
});
afterAll(async () => {
  await installation.stop();
  await removeHome(installation.home);
});

/** An app on all three servers, live, with a visitor at each. */
type Scene = { readonly site: Site; readonly visitors: readonly SiteVisitor[] };

async function openScene(name: string, settings: Record<string, unknown> = {}): Promise<Scene> {
  const [first] = hosts;
  if (first === undefined) throw new Error("no servers");
  const servers = hosts.map(({ serverId }) => ({ id: serverId }));
  const site = await createSite(installation, first, name, { servers, ...settings }, true);
  await deploy(site);
  const { servers_state: states } = await installation.api.getProject(site.projectId);
  const visitors = states.map(({ url }) => {
    if (url === null) throw new Error("a server has no address");
    return visitSite(url, VISIT_EVERY_MS);
  });
  return { site, visitors };
}

async function deploy(site: Site): Promise<Deployment> {
  const { id } = await installation.api.start(site.projectId);
  const ended = await installation.api.ended(id);
  expect(ended, await logOf(id)).toMatchObject({ status: "live", failure: null });
  return ended;
}

async function logOf(id: string): Promise<string> {
  return (await installation.api.log(id)).map(({ message }) => message).join("\n");
}

/** What each server serves, according to the control plane. */
async function versions(site: Site): Promise<[status: string, version: number | null][]> {
  const { servers_state: states } = await installation.api.getProject(site.projectId);
  return states.map(({ status, version }) => [status, version]);
}

/** Checks that all servers serve the page with this marker, and that no visitor was turned away. */
async function leave({ site, visitors }: Scene, marker: string): Promise<void> {
  for (const visitor of visitors) await expect.poll(() => visitor.seen).toBe(marker);
  for (const visitor of visitors) {
    await visitor.leave();
    expect(visitor.failures).toEqual([]);
  }
  // The agents report what they see of the app some moments after they have connected again.
  await expect.poll(async () => (await installation.api.getProject(site.projectId)).health.state).toBe("ok");
}

function host(at: number): Host {
  const found = hosts[at];
  if (found === undefined) throw new Error("no such server");
  return found;
}

describe("an app on three servers", () => {
  let count = 0;
  beforeEach(async () => {
    count += 1;
    for (const one of hosts) await one.startAgent();
  });

  it("loses no visitor in rolling deployments and in a rollback", async () => {
    const scene = await openScene(`app-${count}`);
    const { site } = scene;
    const pages = [];
    for (let times = 0; times < 3; times += 1) {
      pages.push(await site.source.commit());
      await deploy(site);
    }
    const { id } = await installation.api.rollBack(site.projectId, { version: 3 });
    const rolledBack = await installation.api.ended(id);
    expect(rolledBack, await logOf(id)).toMatchObject({ status: "live", failure: null });
    expect(rolledBack.runs.map(({ release }) => release)).toEqual([3, 3, 3]);
    await expect
      .poll(() => versions(site))
      .toEqual([
        ["live", 5],
        ["live", 5],
        ["live", 5],
      ]);
    await leave(scene, pages[1]?.marker ?? "");
  });

  it("runs its release command once, and no server serves the code before", async () => {
    const { gate } = (await openScene(`app-${count}`)).site.source;
    const scene = await openScene(`released-${count}`, {
      release_command: `sh release.sh ${gate.path}`,
      rollout: { order: "at_once" },
    });
    const { site } = scene;
    const page = await site.source.commit();
    await site.source.gate.hold("release");
    const { id } = await installation.api.start(site.projectId);
    await site.source.gate.reached("release");
    for (const visitor of scene.visitors) expect(visitor.markers).not.toContain(page.marker);
    await site.source.gate.open();
    expect((await installation.api.ended(id)).status).toBe("live");
    const released = await readFile(site.source.gate.released, "utf8");
    expect(released.trim().split("\n")).toEqual(["1", "2"]);
    await leave(scene, page.marker);
  });

  it("goes back on all servers if one fails after others have switched", async () => {
    const scene = await openScene(`app-${count}`);
    const { site } = scene;
    const [before] = site.source.commits.values();
    const third = host(2);
    await site.source.commit({ start: `case "$PWD" in ${third.home}*) exit 3;; esac` });
    const { id } = await installation.api.start(site.projectId);
    const failed = await installation.api.ended(id);
    expect(failed.status, await logOf(id)).toBe("failed");
    expect(failed.failure).toMatchObject({ code: "start_failed", server_id: third.serverId });
    expect(failed.runs.map(({ purpose, status }) => `${purpose} ${status}`)).toEqual([
      "deploy switched",
      "deploy switched",
      "deploy failed",
      "revert switched",
      "revert switched",
    ]);
    expect(await versions(site)).toEqual([
      ["live", 1],
      ["live", 1],
      ["live", 1],
    ]);
    await leave(scene, before?.marker ?? "");
  });

  it("leaves out a server whose agent is away, which catches up when it returns", async () => {
    const scene = await openScene(`app-${count}`, { rollout: { offline: "skip", min: 2 } });
    const { site } = scene;
    const away = host(1);
    await away.signalAgent("SIGKILL");
    const page = await site.source.commit();
    const { id } = await installation.api.start(site.projectId);
    const live = await installation.api.ended(id);
    expect(live.status, await logOf(id)).toBe("live");
    const deployed = live.runs.filter(({ purpose }) => purpose === "deploy");
    expect(deployed.map(({ status }) => status)).toEqual(["switched", "skipped", "switched"]);
    expect((await versions(site))[1]?.[0]).toBe("unknown");
    await away.startAgent();
    await expect
      .poll(() => versions(site), { timeout: 30_000 })
      .toEqual([
        ["live", 2],
        ["live", 2],
        ["live", 2],
      ]);
    const caughtUp = await installation.api.getDeployment(id);
    expect(caughtUp.runs.at(-1)).toMatchObject({ purpose: "catch_up", status: "switched" });
    await leave(scene, page.marker);
  });

  it("gives a new server the live code, by an apply of the settings", async () => {
    const [first, second, third] = hosts.map(({ serverId }) => ({ id: serverId }));
    const scene = await openScene(`app-${count}`, { servers: [first, second] });
    const { site } = scene;
    const { marker } = [...site.source.commits.values()][0] ?? { marker: "" };
    await installation.api.call("PATCH", `/v1/projects/${site.projectId}`, {
      servers: [first, second, third],
    });
    // The branch has moved on, and the new server must not get that.
    await site.source.commit();
    const applied = await installation.api.call("POST", `/v1/projects/${site.projectId}/apply`);
    expect(applied.status).toBe(201);
    const [config] = await installation.api.listDeployments(site.projectId);
    const ended = await installation.api.ended(config?.id ?? "");
    expect(ended, await logOf(ended.id)).toMatchObject({ status: "live", failure: null });
    await expect
      .poll(() => versions(site), { timeout: 30_000 })
      .toEqual([
        ["live", 2],
        ["live", 2],
        ["live", 2],
      ]);
    const { servers_state: states } = await installation.api.getProject(site.projectId);
    const url = states[2]?.url ?? "";
    expect(await (await fetch(url)).text()).toContain(marker);
    await leave(scene, marker);
  });
});

/** Where a part dies: while a command waits at a gate, on every server or on one. */
const moments = ["build", "release", "start"] as const;

describe("every server serves what the record says, and no visitor is lost, when", () => {
  const victims = {
    "the first server's agent": async () => {
      await host(0).signalAgent("SIGKILL");
      await host(0).startAgent();
    },
    "the last server's agent": async () => {
      await host(2).signalAgent("SIGKILL");
      await host(2).startAgent();
    },
    "the Worker": async () => {
      const pid = installation.workerdPid();
      if (pid !== null) process.kill(pid, "SIGKILL");
      await installation.workerUp();
    },
  };
  const points = Object.entries(victims).flatMap(([who, kill]) =>
    moments.map((moment) => ({ who, kill, moment })),
  );
  // Each run takes some, and other ones each day.
  for (const { who, kill, moment } of sampleOf(points, 4))
    it(`${who} is killed while the app waits in ${moment}`, async () => {
      const name = `${moment}-${who.toLowerCase().replaceAll(/[^a-z]/g, "")}`;
      const gatePath = `${installation.home}/sources/${name}.gate`;
      const scene = await openScene(name, { release_command: `sh release.sh ${gatePath}` });
      const { site } = scene;
      const [before] = site.source.commits.values();
      const page = await site.source.commit();
      await site.source.gate.hold(moment);
      const { id } = await installation.api.start(site.projectId);
      await site.source.gate.reached(moment);
      await kill();
      await site.source.gate.open();
      const ended = await installation.api.ended(id, 60_000);
      const isLive = ended.status === "live";
      const version = isLive ? 2 : 1;
      await expect
        .poll(() => versions(site), { timeout: 30_000 })
        .toEqual([
          ["live", version],
          ["live", version],
          ["live", version],
        ]);
      const released = (await readFile(site.source.gate.released, "utf8")).trim().split("\n");
      expect(released.filter((one) => one === "2").length).toBeLessThanOrEqual(1);
      await leave(scene, (isLive ? page : before)?.marker ?? "");
    });
});
