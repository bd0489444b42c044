import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import * as z from "zod";

import type { RunOrder } from "#contract/agent-order.ts";

import { type FakeRun, resultOf } from "../../support/fake-control-plane.ts";
import { type AgentProcess, enrollAgent, spawnAgent, spawnRunningAgent } from "../support/agent-process.ts";
import { World } from "../support/harness.ts";
import {
  notedInstances,
  runningInstances,
  slotAddresses,
  smallApp,
  smallWeb,
  visit,
} from "../support/small-app.ts";

const preload = resolve(import.meta.dirname, "../support/die-at-step.ts");
const GANTRY_AGENT_SETTINGS = JSON.stringify({
  ...{ appsCheckMs: 100, drainCheckMs: 50, leastDrainMs: 100, settleMs: 100 },
  ...{ flushMs: 20, backOffBaseMs: 20, backOffCapMs: 100 },
});

const Lock = z.object({ pid: z.int() });

let world: World;
let agent: AgentProcess;
let dieFile: string;
beforeEach(async () => {
  world = await World.create();
  dieFile = join(world.folder, "die");
  world.repository.commit(smallApp("one"));
  await enrollAgent(world);
  agent = await startAgent();
});
afterEach(async () => {
  agent.child.kill("SIGTERM");
  await agent.exited;
  await world.close();
});

const env = () => ({ DIE_FILE: dieFile, GANTRY_AGENT_SETTINGS });
const startAgent = () => spawnRunningAgent(world, { preload, env: env() });

const order = (change: Partial<RunOrder> = {}) =>
  world.order({ processes: { web: smallWeb }, drain_seconds: 0, ...change });
const again: Partial<RunOrder> = { reuse_release: 1, preapproved: true, restart: ["web"] };

/** What answers must be what the control plane believes to be live, and nothing else may run. */
async function expectLive(version: number): Promise<void> {
  const name = `web-${version}-0`;
  await expect.poll(() => visit(world).catch(String)).toBe(`one ${name}`);
  await expect.poll(() => runningInstances(world)).toEqual([name]);
  await expect.poll(() => notedInstances(world)).toEqual([name]);
  expect(slotAddresses(world)).toHaveLength(1);
  expect(world.has("desired.next.json")).toBe(false);
  expect(world.current).toBe("releases/1");
}

type Victims = "agent" | "supervisor" | "both";

function pidsOf(victims: Victims): string {
  const { pid } = Lock.parse(JSON.parse(readFileSync(join(world.home, "supervisor.lock"), "utf8")));
  switch (victims) {
    case "agent":
      return "self";
    case "supervisor":
      return `${pid}`;
    case "both":
      return `${pid},self`;
  }
}

/**
 * Kills the agent, its supervisor or both one step later in each run, until a run completes.
 * @param stride how many steps later
 * @returns the steps
 */
async function killInRuns(
  nextOrder: () => RunOrder,
  from: string,
  victims: Victims = "agent",
  stride = 1,
): Promise<readonly string[]> {
  const steps: string[] = [];
  let live = 1;
  for (;;) {
    writeFileSync(dieFile, `${steps.length * stride} ${from} ${pidsOf(victims)}`);
    rmSync(`${dieFile}.step`, { force: true });
    const run: FakeRun = world.control.dispatch(nextOrder());
    const death = agent.exited.then(() => "died" as const);
    const done = world.control.waitFor(
      "its end",
      () => resultOf(run) !== null && !world.has("run.json") && "done",
    );
    const end = await Promise.race([death, done]);
    rmSync(dieFile, { force: true });
    const wasKilled = existsSync(`${dieFile}.step`);
    if (wasKilled)
      steps.push(readFileSync(`${dieFile}.step`, "utf8").replaceAll(world.home, "").replaceAll(/\d+/g, "N"));
    if (end === "died") {
      void done.catch(() => undefined);
      agent = await startAgent();
    }
    const result = await world.control.result(run);
    if (result.outcome === "live") live = run.order.version;
    else
      expect(result).toMatchObject({
        failure: { code: expect.stringMatching(/server_lost|start_failed|health/) },
      });
    await expectLive(live);
    if (!wasKilled) return steps;
  }
}

describe("an agent that is killed before any of the steps of", () => {
  beforeEach(async () => {
    expect(await world.control.result(world.control.dispatch(order()))).toMatchObject({ outcome: "live" });
    await expect.poll(() => world.has("run.json")).toBe(false);
  });

  it("a switch leaves what the control plane calls live, and nothing else", async () => {
    const steps = await killInRuns(() => order(again), "instances");
    expect(steps.map((step) => step.split("/").at(-1))).toEqual(
      expect.arrayContaining([
        "web-N-N.json",
        "run.json",
        "desired.next.json",
        "desired.json",
        "N",
        "current",
      ]),
    );
  }, 500_000);

  it("the way back from a failed switch does the same", async () => {
    const failing = {
      url: "http://127.0.0.1:9/",
      status: 200,
      tries: 1,
      interval_seconds: 1,
      timeout_seconds: 1,
    };
    const steps = await killInRuns(() => order({ ...again, health_check: failing }), "way-back");
    expect(steps.map((step) => step.split("/").at(-1))).toEqual(
      expect.arrayContaining(["current", "desired.next.json"]),
    );
  }, 500_000);
});

describe("a supervisor that is killed before any of the agent's steps of a switch", () => {
  beforeEach(async () => {
    expect(await world.control.result(world.control.dispatch(order()))).toMatchObject({ outcome: "live" });
    await expect.poll(() => world.has("run.json")).toBe(false);
  });

  it.each<[string, Victims, number]>([
    ["alone", "supervisor", 1],
    // Each of these takes a start of both.
    ["together with the agent", "both", 3],
  ])(
    "%s leaves what the control plane calls live, and nothing else",
    async (_, victims, stride) => {
      const steps = await killInRuns(() => order(again), "instances", victims, stride);
      expect(steps.map((step) => step.split("/").at(-1))).toEqual(
        expect.arrayContaining(["web-N-N.json", "run.json"]),
      );
    },
    500_000,
  );
});

describe("without the control plane", () => {
  it("everything that must run is started again after a restart of the server", async () => {
    await world.control.result(world.control.dispatch(order()));
    const before = slotAddresses(world);
    agent.child.kill("SIGTERM");
    await agent.exited;
    await spawnAgent(["end-apps", "--home", world.home]).exited;
    expect(runningInstances(world)).toEqual([]);
    rmSync(join(world.home, "slots"), { recursive: true });
    world.control.proxyStatus = 502;
    agent = spawnAgent(["run", "--home", world.home], { env: env() });
    await expect.poll(() => visit(world).catch(String)).toBe("one web-1-0");
    expect(slotAddresses(world)).toEqual(before);
  });
});
