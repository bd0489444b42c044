import { existsSync, writeFileSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { messagesOf, AgentWorld } from "../../../agent/support/harness.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

/** Commands of a build that waits for `go`. */
const untilGo = () => `until [ -e ${world.file("go")} ]; do sleep 0.05; done`;
const go = () => writeFileSync(world.file("go"), "");

describe("the events of a run", () => {
  it("are sent in few requests when many wait", async () => {
    await world.startAgent();
    let isAway = false;
    world.control.faultOf = () => (isAway ? "lost" : null);
    const build = `${untilGo()}; seq -f 'line %06.0f of a long output' 40000; touch ${world.file("printed")}`;
    const run = world.control.dispatch(world.order({ build_command: `echo started; ${build}` }), {});
    await world.control.waitFor("the build", () => messagesOf(run).includes("started"));
    isAway = true;
    go();
    await world.control.waitFor("the output", () => existsSync(world.file("printed")));
    const { posts } = run;
    isAway = false;
    expect((await world.control.result(run)).outcome).toBe("live");
    expect(messagesOf(run, "stdout")).toHaveLength(40_001);
    const bytes = JSON.stringify(run.events).length;
    expect(run.posts - posts).toBeLessThan(bytes / (128 * 1024));
  });

  it("are replaced by a sign of life when there is no news", async () => {
    await world.startAgent({ signOfLifeMs: 50 });
    const run = world.control.dispatch(world.order({ build_command: "sleep 1" }));
    await world.control.waitFor("signs of life", () => run.posts > 8);
    await world.control.result(run);
  });
});
