import { existsSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { RunOrder, RunVariables } from "#contract/agent-order.ts";

import { type FakeRun, resultOf } from "../../support/fake-control-plane.ts";
import { type AgentProcess, enrollAgent, spawnRunningAgent } from "../../agent/support/agent-process.ts";
import { DieFile } from "../../agent/support/die-file.ts";
import type { Part } from "../../agent/support/die-order.ts";
import { AgentWorld } from "../../agent/support/harness.ts";
import { partsOf } from "../../support/sample.ts";
import { sealVariables } from "../../agent/support/sealed-variables.ts";
import { expectWholeProject, servedVersion } from "../../agent/support/whole-project.ts";

let world: AgentWorld;
let agent: AgentProcess;
let dieFile: DieFile;
let variables: RunVariables;
/** Starts an agent that is killed at the steps of a part. */
async function start(part: Part): Promise<void> {
  world = await AgentWorld.create();
  dieFile = new DieFile(world.folder, world.path(), part);
  world.repository.commit({ "index.html": "0" });
  await enrollAgent(world);
  variables = await sealVariables(world, { MODE: "production" }, { TOKEN: { value: "correct-horse" } });
  agent = await startAgent();
}
afterEach(async () => {
  agent.child.kill("SIGTERM");
  await agent.exited;
  await world.close();
});

const startAgent = () => spawnRunningAgent(world, { preload: dieFile.preload, env: dieFile.env });

/** An order whose build writes its version and leaves a daemon. Its activate command records the version too. */
const order = (change: Partial<RunOrder> = {}) =>
  world.order({
    build_command: "echo $GANTRY_VERSION > index.html; setsid sleep 1000 >/dev/null 2>&1 & sleep 0.05",
    activate_command: `echo $GANTRY_VERSION > ${world.path("activated")}`,
    shared_paths: ["data"],
    keep_releases: [],
    variables,
    ...change,
  });

async function deploy(change: Partial<RunOrder> = {}): Promise<number> {
  const run = world.control.dispatch(order(change));
  expect(await world.control.result(run)).toMatchObject({ outcome: "live" });
  await expect.poll(() => world.has("run.json")).toBe(false);
  return run.order.version;
}

/**
 * Repeats an action and kills the agent at another step each time, until the action completes without a new step.
 * After each kill it starts another agent and makes the check.
 * @param begin starts the action; @returns whether it is complete
 * @returns all steps, each with the phase in the journal
 */
async function killAtEachStep(scene: {
  readonly begin: () => Promise<() => boolean>;
  readonly check: () => Promise<void>;
}): Promise<readonly string[]> {
  for (;;) {
    const isDone = await scene.begin();
    const death = agent.exited.then(() => "died" as const);
    const end = await Promise.race([death, world.control.waitFor("its end", () => isDone() && "done")]);
    const step = dieFile.disarm();
    if (step === null) {
      expect(end).toBe("done");
      return dieFile.seen;
    }
    // It may have died of a step after the action's end.
    await death;
    agent = await startAgent();
    await scene.check();
  }
}

/** A run that starts again in each round. The release served afterwards must match its result. */
async function killInRuns(nextOrder: () => RunOrder, from = ""): Promise<readonly string[]> {
  let run: FakeRun | null = null;
  let served = servedVersion(world);
  return killAtEachStep({
    async begin() {
      const next = nextOrder();
      served = servedVersion(world);
      dieFile.arm({ from });
      const begun = world.control.dispatch(next);
      run = begun;
      return () => resultOf(begun) !== null && !world.has("run.json");
    },
    async check() {
      if (run === null) throw new Error("no run");
      const hello = world.control.messages.findLast(({ type }) => type === "hello");
      const { run_id } = run.order;
      const isKnown = hello?.type === "hello" && hello.runs.some((each) => each.run_id === run_id);
      // An agent that was killed before it recorded the order does not know the order, so the control plane sends it
      // again.
      const result = isKnown || resultOf(run) !== null ? await world.control.result(run) : null;
      await expectWholeProject(world, [run_id]);
      if (result?.outcome === "live") served = result.release;
      if (result?.outcome === "failed")
        expect(["server_lost", "activate_failed"]).toContain(result.failure.code);
      expect(servedVersion(world)).toBe(served);
    },
  });
}

describe.each(partsOf(6))("an agent that is killed before any of the steps, $part, of", (part) => {
  beforeEach(() => start(part));

  it("a deployment serves the earlier release or the release reported as live, and the next deployment works", async () => {
    await deploy();
    await deploy();
    const migrated = world.file("migrated");
    const steps = await killInRuns(() => order({ release_command: `echo $GANTRY_VERSION >> ${migrated}` }));
    expect(new Set(world.linesOf("migrated")).size).toBe(world.linesOf("migrated").length);
    expect(steps).toEqual(
      expect.arrayContaining([
        "none: renameSync /run.json.tmp /run.json",
        "preparing: rename /releases/N /tmp/bin-releases-N",
        "preparing: symlink ../../shared/data /proc/self/fd/N/data",
        "preparing: rename /releases/N.json.tmp /releases/N.json",
        "preparing: symlink releases/N /tmp/way-back",
        "switching: rename /tmp/current /current",
        "switching: renameSync /run.json.tmp /run.json",
        "decided: rm /releases/N.json",
        expect.stringMatching(/^decided: rename \/releases\/N \/N-.+\.bin$/),
      ]),
    );
  });

  it("a rollback does the same", async () => {
    await deploy();
    await deploy();
    const steps = await killInRuns(() => {
      const live = servedVersion(world);
      const other = world.releases.find((version) => version !== live) ?? live;
      return order({ reuse_release: other, preapproved: true, keep_releases: [live, other] });
    });
    expect(steps).toEqual(
      expect.arrayContaining(["switching: rename /tmp/current /current", "decided: rmSync /run.json"]),
    );
  });

  it("the switch back from a failed release does the same", async () => {
    const live = await deploy();
    const steps = await killInRuns(
      () =>
        order({
          activate_command: `echo $GANTRY_VERSION > ${world.path("activated")}; exit 1`,
          keep_releases: [live],
        }),
      "way-back",
    );
    expect(steps).toEqual(
      expect.arrayContaining([
        "switching: rename /tmp/way-back /current",
        "switching: rm /releases/N.json",
        "decided: rmSync /run.json",
      ]),
    );
  });

  it("a correction serves the live release in the end, activated", async () => {
    await deploy();
    await deploy();
    let wanted = 0;
    const steps = await killAtEachStep({
      async begin() {
        const live = servedVersion(world);
        wanted = world.releases.find((version) => version !== live) ?? live;
        dieFile.arm();
        const { length } = world.control.messages;
        world.control.send({ type: "correct_release", project_id: world.projectId, release: wanted });
        let asked = 0;
        return () => {
          const told = world.control.messages.slice(length).filter((message) => message.type === "serving");
          if (told.some(({ project }) => project.release === wanted)) return true;
          // What an earlier round has asked for may be told only now, and the agent takes no restore before. The
          // control plane asks again then.
          if (told.length > asked)
            world.control.send({ type: "correct_release", project_id: world.projectId, release: wanted });
          asked = told.length;
          return false;
        };
      },
      async check() {
        // The control plane relies on the hello.
        const hello = world.control.messages.findLast(({ type }) => type === "hello");
        if (hello?.type === "hello" && hello.projects[0]?.release !== wanted)
          world.control.send({ type: "correct_release", project_id: world.projectId, release: wanted });
        await expect.poll(() => world.has("activated") && world.read("activated")).toBe(`${wanted}\n`);
        await expectWholeProject(world, []);
        expect(servedVersion(world)).toBe(wanted);
      },
    });
    expect(steps).toContain("none: rename /tmp/current /current");
  });

  it.each([false, true])(
    "a project removal (purge: %s) completes it when it is requested again",
    async (purge) => {
      const forgotten = () => world.control.messages.filter(({ type }) => type === "project_removed").length;
      const steps = await killAtEachStep({
        async begin() {
          await deploy({ activate_command: null });
          const before = forgotten();
          dieFile.arm();
          world.control.send({ type: "remove_project", project_id: world.projectId, purge });
          return () => forgotten() > before;
        },
        async check() {
          const before = forgotten();
          world.control.send({ type: "remove_project", project_id: world.projectId, purge });
          await world.control.waitFor("the answer", () => forgotten() > before);
          await expectWholeProject(world, []);
          expect(world.current).toBeNull();
          expect(world.releases).toEqual([]);
          expect(existsSync(world.path())).toBe(!purge);
        },
      });
      const telling = purge
        ? "none: rmdir "
        : expect.stringMatching(/^none: rename \/releases\/N \/N-.*\.bin$/);
      expect(steps).toContainEqual(telling);
    },
  );
});
