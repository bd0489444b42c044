import { readFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { eventsOf, isAlive, messagesOf, AgentWorld } from "../../../agent/support/harness.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one", "site/page.html": "page" });
});
afterEach(() => world.close());

/** A shell line that writes the pid of the process started before it to a file beside the project. */
const notePid = (name: string) => `echo $! > ${join(world.folder, name)}`;
const pidOf = (name: string) => Number(readFileSync(join(world.folder, name), "utf8"));
const hasPid = (name: string) => {
  try {
    return pidOf(name) > 0;
  } catch {
    return false;
  }
};

describe("a build command", () => {
  it("leaves no daemon behind, in its process group or another, and does not wait for one", async () => {
    await world.startAgent();
    const { result } = await world.deploy({
      build_command: [
        "sleep 1000 &",
        notePid("child"),
        `setsid sh -c 'echo $$ > ${join(world.folder, "daemon")}; exec sleep 1000' &`,
        `while [ ! -s ${join(world.folder, "daemon")} ]; do sleep 0.02; done`,
      ].join("\n"),
    });
    expect(result.outcome).toBe("live");
    expect(isAlive(pidOf("child"))).toBe(false);
    expect(isAlive(pidOf("daemon"))).toBe(false);
  });

  it("can write without end: it waits while the control plane accepts nothing, and no line is lost", async () => {
    await world.startAgent({ maxSpoolBytes: 100_000, maxMemoryBytes: 200_000 });
    let isOut = true;
    world.control.faultOf = ({ count }) => (isOut && count > 5 ? 503 : null);
    const run = world.control.dispatch(world.order({ build_command: "seq 1 100000; seq 1 3 >&2" }));
    await world.control.waitFor("the outage", () => world.control.posts > 12);
    isOut = false;
    const result = await world.control.result(run);
    expect(result.outcome).toBe("live");
    const numbers = messagesOf(run, "stdout");
    expect(numbers).toHaveLength(100_000);
    expect(numbers.every((number, index) => number === String(index + 1))).toBe(true);
  });
});

describe("a run that the control plane has ended", () => {
  it("is stopped and cleaned up, and sends no more events", async () => {
    await world.startAgent();
    const run = world.control.dispatch(
      world.order({ build_command: ["sleep 1000 &", notePid("sleeper"), "wait"].join("\n") }),
    );
    await world.control.waitFor("the build", () => hasPid("sleeper"));
    run.instruction = "ended";
    await expect.poll(() => world.has("run.json")).toBe(false);
    expect(isAlive(pidOf("sleeper"))).toBe(false);
    expect(world.has("releases/1")).toBe(false);
    expect(eventsOf(run, "result")).toEqual([]);
    const { posts } = run;
    run.instruction = "continue";
    await world.deploy();
    expect(run.posts).toBe(posts);
  });

  it("is also recognized by a 404 or 410", async () => {
    await world.startAgent();
    for (const status of [404, 410] as const) {
      const run = world.control.dispatch(world.order({ build_command: "sleep 1000" }));
      await world.control.waitFor("the build", () =>
        eventsOf(run, "stage").some(({ stage }) => stage === "build"),
      );
      world.control.faultOf = () => status;
      await expect.poll(() => world.has("run.json")).toBe(false);
      world.control.faultOf = () => null;
    }
  });
});
