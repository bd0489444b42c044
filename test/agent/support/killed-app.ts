import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect } from "vitest";

import * as z from "zod";

import type { RunOrder } from "#contract/agent-order.ts";

import { type FakeRun, resultOf } from "../../support/fake-control-plane.ts";
import { type AgentProcess, enrollAgent, spawnRunningAgent } from "./agent-process.ts";
import { DieFile } from "./die-file.ts";
import type { DieOrder, Part } from "./die-order.ts";
import { AgentWorld } from "./harness.ts";
import { notedInstances, runningInstances, slotAddresses, smallApp, smallWeb, visit } from "./small-app.ts";

const GANTRY_AGENT_SETTINGS = JSON.stringify({
  ...{ appsCheckMs: 100, drainCheckMs: 50, leastDrainMs: 100, settleMs: 100 },
  ...{ flushMs: 20, backOffBaseMs: 20, backOffCapMs: 100 },
  // The agent would write the events of a slow run to the disk, at another step in each round.
  spillMs: 300_000,
});

const Lock = z.object({ pid: z.int() });

export type Victims = "agent" | "supervisor" | "both";

/** A run that replaces the instance of the live release. */
export const again: Partial<RunOrder> = { reuse_release: 1, preapproved: true, restart: ["web"] };

/** An agent process with an app, which dies at steps of its runs. */
export class KilledApp {
  readonly world: AgentWorld;
  agent: AgentProcess;
  readonly #dieFile: DieFile;

  private constructor(world: AgentWorld, dieFile: DieFile, agent: AgentProcess) {
    this.world = world;
    this.#dieFile = dieFile;
    this.agent = agent;
  }

  /** @param part the steps at which it is killed */
  static async create(part: Part): Promise<KilledApp> {
    const world = await AgentWorld.create();
    const dieFile = new DieFile(world.folder, world.home, part);
    world.repository.commit(smallApp("one"));
    await enrollAgent(world);
    return new KilledApp(world, dieFile, await startAgent(world, dieFile));
  }

  /** The environment of its agent. */
  env() {
    return envOf(this.#dieFile);
  }

  order(change: Partial<RunOrder> = {}): RunOrder {
    return this.world.order({ processes: { web: smallWeb }, drain_seconds: 0, ...change });
  }

  async deploy(change: Partial<RunOrder> = {}): Promise<void> {
    const { world } = this;
    expect(await world.control.result(world.control.dispatch(this.order(change)))).toMatchObject({
      outcome: "live",
    });
    await expect.poll(() => world.has("run.json")).toBe(false);
  }

  /**
   * Kills the agent, its supervisor or both at another step in each run, until a run has no new step.
   * @param check what must be true after each run, besides its result
   * @returns the names of the files of all steps, with N for numbers
   */
  async killInRuns(
    nextOrder: () => RunOrder | Promise<RunOrder>,
    from: string,
    victims: Victims = "agent",
    check = this.#checkWeb(),
  ): Promise<readonly string[]> {
    const { world } = this;
    for (;;) {
      const order = await nextOrder();
      this.#dieFile.arm({ from, victims: this.#pidsOf(victims) });
      const run: FakeRun = world.control.dispatch(order);
      const death = this.agent.exited.then(() => "died" as const);
      const done = world.control.waitFor(
        "its end",
        () => resultOf(run) !== null && !world.has("run.json") && "done",
      );
      const end = await Promise.race([death, done]);
      const step = this.#dieFile.disarm();
      const wasKilled = step !== null;
      // It may have died of a step after the run's end, such as the deletion of a note.
      if (end === "died" || (wasKilled && victims !== "supervisor")) {
        await death;
        void done.catch(() => undefined);
        this.agent = await startAgent(world, this.#dieFile);
      }
      const result = await world.control.result(run);
      const isLive = result.outcome === "live";
      if (!isLive)
        expect(result).toMatchObject({
          failure: { code: expect.stringMatching(/server_lost|start_failed|health/) },
        });
      await check(order.version, isLive);
      if (!wasKilled) return this.#dieFile.seen.map((each) => each.split("/").at(-1) ?? each);
    }
  }

  async close(): Promise<void> {
    this.agent.child.kill("SIGTERM");
    await this.agent.exited;
    await this.world.close();
  }

  #pidsOf(victims: Victims): DieOrder["victims"] {
    const lock: unknown = JSON.parse(readFileSync(join(this.world.home, "supervisor.lock"), "utf8"));
    const { pid } = Lock.parse(lock);
    switch (victims) {
      case "agent":
        return ["self"];
      case "supervisor":
        return [pid];
      case "both":
        return [pid, "self"];
    }
  }

  /** The instance of the live release, or of the release before a failed run, must run. */
  #checkWeb(): (version: number, isLive: boolean) => Promise<void> {
    let live = 1;
    return async (version, isLive) => {
      if (isLive) live = version;
      await this.expectLive(live);
    };
  }

  /** What answers must be what the control plane believes to be live, and nothing else may run. */
  async expectLive(version: number): Promise<void> {
    const { world } = this;
    const name = `web-${version}-0`;
    await expect.poll(() => visit(world).catch(String)).toBe(`one ${name}`);
    await expect.poll(() => runningInstances(world)).toEqual([name]);
    await expect.poll(() => notedInstances(world)).toEqual([name]);
    expect(slotAddresses(world)).toHaveLength(1);
    expect(world.has("desired.next.json")).toBe(false);
    expect(world.current).toBe("releases/1");
  }
}

const envOf = (dieFile: DieFile) => ({ ...dieFile.env, GANTRY_AGENT_SETTINGS });

const startAgent = (world: AgentWorld, dieFile: DieFile): Promise<AgentProcess> =>
  spawnRunningAgent(world, { preload: dieFile.preload, env: envOf(dieFile) });
