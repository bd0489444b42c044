import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createSites } from "#agent/sites/sites-client.ts";
import { listenForControl } from "#agent/sites/control-server.ts";
import { localSlotsFolder } from "#agent/ingress/slots.ts";
import { createSiteRegistry } from "#agent/sites/site-registry.ts";
import { createSiteStore } from "#agent/sites/site-store.ts";
import { HealthCheck, Timeouts } from "#contract/endpoints/projects/settings.ts";

import { eventsOf, isAlive, messagesOf, AgentWorld } from "../../support/harness.ts";

let world: AgentWorld;
let cleanUps: (() => unknown)[] = [];
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
  cleanUps = [];
});
afterEach(async () => {
  await world.close();
  for (const cleanUp of cleanUps) await cleanUp();
});

async function startSites() {
  mkdirSync(world.home, { recursive: true });
  const socket = join(world.folder, "sites.sock");
  const registry = createSiteRegistry({
    store: createSiteStore(world.home, () => undefined),
    slots: localSlotsFolder(world.home),
    firstPort: 20_000 + Math.floor(Math.random() * 20_000),
    log: () => undefined,
  });
  const control = await listenForControl(socket, registry);
  await registry.reopen();
  cleanUps.push(
    () => registry.close(),
    () => control.close(),
  );
  return createSites(socket, () => undefined);
}

/** Requests a URL repeatedly until it is stopped. @returns every answer that was not a 200 */
function keepAsking(url: string): { stop(): Promise<readonly string[]>; readonly bodies: Set<string> } {
  const troubles: string[] = [];
  const bodies = new Set<string>();
  let isAsking = true;
  const loop = (async () => {
    while (isAsking) {
      try {
        const response = await fetch(url);
        const body = await response.text();
        bodies.add(body);
        if (response.status !== 200) troubles.push(`${response.status} ${body.slice(0, 200)}`);
      } catch (error) {
        troubles.push(String(error));
      }
    }
  })();
  return {
    bodies,
    async stop() {
      isAsking = false;
      await loop;
      return troubles;
    },
  };
}

const check = (change: object) =>
  HealthCheck.parse({ path: "/", tries: 3, interval_seconds: 0.1, timeout_seconds: 10, ...change });

describe("the activation permit", () => {
  it("is required before the agent switches", async () => {
    await world.startAgent();
    const run = world.control.dispatch(world.order(), { grantsPermit: false });
    await world.control.waitFor("the permit request", () => eventsOf(run, "ready").length === 1);
    const { posts } = run;
    await world.control.waitFor("more permit requests", () => run.posts > posts + 2);
    expect(world.current).toBeNull();
    expect(eventsOf(run, "ready")).toHaveLength(1);
    run.grantsPermit = true;
    expect((await world.control.result(run)).outcome).toBe("live");
    expect(world.current).toBe("releases/1");
  });

  it("changes nothing when a cancel refuses it", async () => {
    await world.startAgent();
    const run = world.control.dispatch(world.order(), { grantsPermit: false });
    await world.control.waitFor("the permit request", () => eventsOf(run, "ready").length === 1);
    run.instruction = "stop";
    expect(await world.control.result(run)).toEqual({ outcome: "canceled" });
    expect(world.current).toBeNull();
    expect(world.has("releases/1")).toBe(false);
  });

  it("is not requested when the order is preapproved", async () => {
    await world.startAgent();
    const { run, result } = await world.deploy({ preapproved: true });
    expect(result.outcome).toBe("live");
    expect(eventsOf(run, "ready")).toEqual([]);
  });

  it("is requested while a release without commands is checked, and a release that fails the check is not served", async () => {
    world.repository.commit({ secrets: { link: "/etc/hostname" } });
    await world.startAgent();
    const { run, result } = await world.deploy();
    expect(eventsOf(run, "ready")).toHaveLength(1);
    expect(result).toMatchObject({ failure: { code: "build_failed" } });
    expect(world.current).toBeNull();
    expect(world.has("releases/1")).toBe(false);
  });

  it("is requested after the check of a release with commands, which can be canceled until then", async () => {
    world.repository.commit({ secrets: { link: "/etc/hostname" } });
    await world.startAgent();
    const { run, result } = await world.deploy({ build_command: "true" });
    expect(eventsOf(run, "ready")).toEqual([]);
    expect(result).toMatchObject({ failure: { code: "build_failed" } });
  });

  it("makes the run impossible to cancel", async () => {
    await world.startAgent();
    const order = world.order({ activate_command: "echo switched; sleep 0.3" });
    const run = world.control.dispatch(order);
    await world.control.waitFor("the switch", () => messagesOf(run).includes("switched"));
    world.control.stop(order);
    expect((await world.control.result(run)).outcome).toBe("live");
  });
});

describe("a run that the control plane ends after the switch", () => {
  it("switches back, because its release was never verified", async () => {
    await world.startAgent();
    await world.deploy();
    const run = world.control.dispatch(
      world.order({ activate_command: "echo switched; sleep 1000", keep_releases: [1] }),
    );
    await world.control.waitFor("the switch", () => messagesOf(run).includes("switched"));
    run.instruction = "ended";
    await expect.poll(() => world.current).toBe("releases/1");
    await expect.poll(() => world.has("releases/2")).toBe(false);
    expect(eventsOf(run, "result")).toEqual([]);
  });
});

describe("an activate command", () => {
  it("switches back when it fails, runs the earlier release's own command, and removes the new release", async () => {
    const trace = join(world.folder, "trace");
    const note = `echo "$GANTRY_VERSION in $(basename $PWD)" >> ${trace}`;
    await world.startAgent();
    await world.deploy({ activate_command: note });
    const { result } = await world.deploy({
      activate_command: `${note}; echo port is taken >&2; exit 7`,
      keep_releases: [1],
    });
    expect(result).toMatchObject({
      outcome: "failed",
      failure: {
        code: "activate_failed",
        stage: "activate",
        message: "the activate command ended with exit code 7",
        evidence: { exit_code: 7, stderr_tail: "port is taken\n" },
      },
    });
    expect(world.current).toBe("releases/1");
    expect(world.has("releases/2")).toBe(false);
    expect(world.has("releases/2.json")).toBe(false);
    expect(readFileSync(trace, "utf8")).toBe("1 in 1\n2 in 2\n1 in 1\n");
  });

  it("leaves no `current` when it fails in the first deployment", async () => {
    await world.startAgent();
    const { run, result } = await world.deploy({ activate_command: "false" });
    expect(result).toMatchObject({ failure: { code: "activate_failed" } });
    expect(world.current).toBeNull();
    expect(eventsOf(run, "result")).toMatchObject([{ project: { release: null, releases: [] } }]);
  });

  it("is ended and switched back when it takes too long", async () => {
    await world.startAgent();
    const { result } = await world.deploy({
      activate_command: "sleep 1000",
      timeouts: Timeouts.parse({ activate_seconds: 1 }),
    });
    expect(result).toMatchObject({
      failure: {
        code: "timed_out",
        stage: "activate",
        hint: expect.stringContaining("An activate command must end."),
      },
    });
    expect(world.current).toBeNull();
  });

  it("can leave a server running", async () => {
    const pidFile = join(world.folder, "pid");
    await world.startAgent();
    const { result } = await world.deploy({
      activate_command: `sleep 1000 > /dev/null 2>&1 & echo $! > ${pidFile}`,
    });
    expect(result.outcome).toBe("live");
    const pid = Number(readFileSync(pidFile, "utf8"));
    expect(isAlive(pid)).toBe(true);
    process.kill(pid);
  });
});

describe("a health check", () => {
  it("is stored as evidence when it passes, with the number of tries", async () => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.writeHead(asked < 3 ? 503 : 204).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanUps.push(() => server.close());
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/up`;
    await world.startAgent();
    const { result } = await world.deploy({
      health_check: check({ path: undefined, url, status: 204, tries: 5 }),
    });
    expect(result).toMatchObject({
      outcome: "live",
      evidence: { health_check: { url, status: 204, tries: 3 } },
    });
  });

  it("restores the earlier release when it fails, without an error for visitors of the site", async () => {
    const sites = await startSites();
    await world.startAgent({}, sites);
    const first = await world.deploy({ health_check: check({}) });
    expect(first.result).toMatchObject({
      outcome: "live",
      evidence: { health_check: { status: 200, tries: 1 } },
    });
    const url = sites.urlOf(world.projectId);
    expect(eventsOf(first.run, "result")).toMatchObject([{ project: { url } }]);
    const visitor = keepAsking(`${url}/`);
    world.repository.commit({ "index.html": "two" });
    const { run, result } = await world.deploy({
      health_check: check({ path: "/health" }),
      keep_releases: [1],
    });
    expect(result).toMatchObject({
      outcome: "failed",
      failure: {
        code: "health_check_failed",
        stage: "verify",
        message: `${url}/health did not answer 200 in 3 tries: it answered 404`,
        evidence: { health_status: 404, health_body: expect.any(String) },
      },
    });
    expect(world.current).toBe("releases/1");
    expect(world.has("releases/2")).toBe(false);
    expect(await (await fetch(`${url}/`)).text()).toBe("one");
    expect(await visitor.stop()).toEqual([]);
    expect([...visitor.bodies].toSorted()).toEqual(["one", "two"]);
    expect(messagesOf(run, "system")).toContain("switched current back to releases/1");
  });
});
