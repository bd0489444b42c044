import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { RunOrder } from "#contract/agent-order.ts";
import { defaultTimeouts } from "#contract/stages.ts";

import { eventsOf, isAlive, linesOf, messagesOf, AgentWorld } from "../support/harness.ts";
import { sealVariables } from "../support/sealed-variables.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "site/index.html": "hello" });
});
afterEach(() => world.close());

const noted = () => world.linesOf("noted");
const note = (what: string) => `echo "${what}" >> ${world.file("noted")}`;

/** An order whose commands note that they ran, and which release `current` points to. */
const order = (change: Partial<RunOrder> = {}): Partial<RunOrder> => ({
  root_directory: "site",
  install_command: note("install"),
  build_command: note("build"),
  release_command: note("release $GANTRY_VERSION, current: $(readlink ../../../current)"),
  activate_command: note("activate $GANTRY_VERSION"),
  keep_releases: [...world.releases],
  ...change,
});

describe("a release command", () => {
  it("runs once in the new release, between the permit and the switch", async () => {
    await world.startAgent();
    const { run, result } = await world.deploy(order());
    expect(result.outcome).toBe("live");
    const steps = run.events.flatMap((event) =>
      event.type === "stage" ? [event.stage] : event.type === "ready" ? ["ready"] : [],
    );
    expect(steps).toEqual(["fetch", "install", "build", "ready", "release", "activate", "verify"]);
    const [reported] = eventsOf(run, "result");
    expect(reported?.stages?.map(({ stage }) => stage)).toEqual(steps.filter((step) => step !== "ready"));
    await world.deploy(order());
    expect(noted()).toEqual([
      ...["install", "build", "release 1, current: ", "activate 1"],
      ...["install", "build", "release 2, current: releases/1", "activate 2"],
    ]);
    const section = linesOf(run).filter(({ stage }) => stage === "release");
    expect(section.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^running echo "release/),
      expect.stringMatching(/^the release command ended with exit code 0 \(\d+ ms\)$/),
    ]);
  });

  it("gets the variables and secrets of the activate command, and the shared paths", async () => {
    await world.startAgent();
    const variables = await sealVariables(
      world,
      { MODE: "production" },
      { DATABASE_URL: { value: "correct-horse" } },
    );
    const shared = { variables, shared_paths: ["site/data"] };
    await world.deploy(order({ ...shared, activate_command: "echo kept > data/kept" }));
    const write = note("$MODE ${DATABASE_URL:-none} $(cat data/kept) $CI $GANTRY_PROJECT $(basename $PWD)");
    const { run } = await world.deploy(
      order({ ...shared, install_command: null, build_command: write, release_command: `${write}; env` }),
    );
    expect(noted().slice(-3)).toEqual([
      "production none kept true shop site",
      "production correct-horse kept true shop site",
      "activate 2",
    ]);
    expect(messagesOf(run, "stdout")).toContain("DATABASE_URL=***");
  });

  it("that fails switches nothing, runs nothing of the earlier release, and the new one is removed", async () => {
    await world.startAgent();
    await world.deploy(order());
    const { run, result } = await world.deploy(
      order({ release_command: "echo relation users exists >&2; exit 3" }),
    );
    expect(result).toMatchObject({
      outcome: "failed",
      failure: {
        code: "release_failed",
        stage: "release",
        message: "the release command ended with exit code 3",
        failing_line: "relation users exists",
        evidence: { exit_code: 3, stderr_tail: "relation users exists\n" },
      },
    });
    expect(eventsOf(run, "stage").map(({ stage }) => stage)).not.toContain("activate");
    expect(noted().filter((line) => line.startsWith("activate"))).toEqual(["activate 1"]);
    expect(world.current).toBe("releases/1");
    expect(world.has("releases/2")).toBe(false);
    expect(world.releases).toEqual([1]);
    expect((await world.deploy(order())).result.outcome).toBe("live");
  });

  it("that takes too long is ended with all that it has started", async () => {
    await world.startAgent();
    const pids = world.file("pids");
    const { result } = await world.deploy(
      order({
        release_command: `setsid sleep 1000 >/dev/null 2>&1 & echo $! >> ${pids}; echo $$ >> ${pids}; sleep 1000`,
        timeouts: { ...defaultTimeouts, release_seconds: 1 },
      }),
    );
    expect(result).toMatchObject({
      failure: {
        code: "timed_out",
        stage: "release",
        message: "the release command took longer than 1 second",
      },
    });
    expect(world.pidsIn("pids").map(isAlive)).toEqual([false, false]);
    expect(world.current).toBeNull();
  });

  it("leaves no process running when it succeeds", async () => {
    await world.startAgent();
    const { result } = await world.deploy(
      order({ release_command: `setsid sleep 1000 >/dev/null 2>&1 & echo $! > ${world.file("pids")}` }),
    );
    expect(result.outcome).toBe("live");
    expect(world.pidsIn("pids").map(isAlive)).toEqual([false]);
  });

  it("may not link out of the release", async () => {
    await world.startAgent();
    const { result } = await world.deploy(order({ release_command: "ln -s /etc/passwd secrets" }));
    expect(result).toMatchObject({
      failure: { code: "release_failed", message: expect.stringContaining("leads out of the release") },
    });
    expect(world.releases).toEqual([]);
  });

  it("cannot be canceled while it runs", async () => {
    await world.startAgent();
    const run = world.control.dispatch(world.order(order({ release_command: "echo migrating; sleep 0.3" })));
    await world.control.waitFor("the release command", () => messagesOf(run).includes("migrating"));
    world.control.stop(run.order);
    expect((await world.control.result(run)).outcome).toBe("live");
  });

  it("that the agent's stop interrupts is reported as such, and is not run again", async () => {
    const agent = await world.startAgent();
    const migrate = `${note("migrating")}; echo migrating; sleep 1000`;
    const run = world.control.dispatch(world.order(order({ release_command: migrate })));
    await world.control.waitFor("the release command", () => messagesOf(run).includes("migrating"));
    await agent.stop();
    await world.startAgent();
    expect(await world.control.result(run)).toMatchObject({
      failure: {
        code: "server_lost",
        stage: "release",
        message: expect.stringContaining("is not run again"),
      },
    });
    expect(noted().filter((line) => line === "migrating")).toHaveLength(1);
    expect(world.current).toBeNull();
  });
});

describe("a release command of the repository", () => {
  const deploy = (change: Partial<RunOrder> = {}, source: Partial<RunOrder["source"]> = {}) => {
    const given = world.order(order({ release_command: null, activate_command: null, ...change }));
    const run = world.control.dispatch({ ...given, source: { ...given.source, was_live: false, ...source } });
    return world.control.result(run);
  };
  const released = () => noted().filter((line) => line.startsWith("of"));

  it("runs for new code if the project has none, and not for a rollback", async () => {
    world.repository.commit({
      "site/Procfile": `web: true\nrelease: ${note("of the Procfile")}\n`,
      "site/gantry.json": JSON.stringify({ release_command: note("of gantry.json") }),
    });
    await world.startAgent();
    await deploy();
    expect(released()).toEqual(["of gantry.json"]);
    await deploy({ release_command: "true" });
    world.repository.commit({ "site/gantry.json": "{}" });
    await deploy();
    expect(released()).toEqual(["of gantry.json", "of the Procfile"]);
    await deploy({ reuse_release: 1, preapproved: true }, { was_live: true });
    // The files of the release are lost, so that the rollback builds them again.
    await deploy({ reuse_release: null }, { was_live: true });
    // The project starts its app itself, so the Procfile does not count.
    await deploy({ activate_command: "true" });
    world.repository.commit({ "site/gantry.json": '{ "release_command": null }' });
    await deploy();
    expect(released()).toEqual(["of gantry.json", "of the Procfile"]);
  });

  it("is refused before anything runs if the policy does not allow it", async () => {
    world.policy = { release_commands: "none" };
    world.repository.commit({ "site/Procfile": `release: ${note("of the Procfile")}` });
    await world.startAgent();
    expect(await deploy()).toMatchObject({
      failure: { code: "refused_by_policy", message: expect.stringContaining("release_commands") },
    });
    expect(world.current).toBeNull();
  });
});

it("a project without a release command has no such stage", async () => {
  await world.startAgent();
  const { run } = await world.deploy(order({ release_command: null }));
  expect(eventsOf(run, "stage").map(({ stage }) => stage)).not.toContain("release");
  expect(linesOf(run).map(({ stage }) => stage)).not.toContain("release");
});
