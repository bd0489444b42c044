import { writeFileSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ids, messagesOf, AgentWorld } from "../support/harness.ts";

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
  it("arrive once and in order, even if requests and answers are lost", async () => {
    await world.startAgent();
    const faults = ["lost", "answer_lost", 503, null, 429, "answer_lost", null] as const;
    world.control.faultOf = ({ count }) => faults[count % faults.length] ?? null;
    const { run, result } = await world.deploy({
      build_command: "for i in 1 2 3 4 5 6 7 8 9 10; do echo line $i; sleep 0.03; done",
    });
    expect(result.outcome).toBe("live");
    expect(messagesOf(run, "stdout")).toEqual(Array.from({ length: 10 }, (_, index) => `line ${index + 1}`));
    expect(run.events.map(({ seq }) => seq)).toEqual(run.events.map((_, index) => index + 1));
    expect(run.events.at(-1)?.type).toBe("result");
    await expect
      .poll(() => world.logLines)
      .toContainEqual(expect.stringMatching(new RegExp(`run ${run.order.run_id} has ended`)));
  });

  it("wait for an unreachable control plane, including the result", async () => {
    await world.startAgent();
    let isAway = false;
    world.control.faultOf = () => (isAway ? "lost" : null);
    const run = world.control.dispatch(world.order({ build_command: `echo started; ${untilGo()}` }), {});
    await world.control.waitFor("the build", () => messagesOf(run).includes("started"));
    isAway = true;
    go();
    const { posts } = world.control;
    await world.control.waitFor("some retries", () => world.control.posts > posts + 5);
    expect(world.current).toBeNull();
    isAway = false;
    expect((await world.control.result(run)).outcome).toBe("live");
  });
});

describe("a run order", () => {
  it("is carried out once when it arrives twice, even after the run has ended", async () => {
    await world.startAgent();
    const order = world.order({ build_command: "echo building; sleep 0.2" });
    const run = world.control.dispatch(order);
    world.control.send({ type: "run", order });
    await world.control.result(run);
    const events = run.events.length;
    world.control.send({ type: "run", order });
    await world.deploy();
    expect(run.events).toHaveLength(events);
    expect(messagesOf(run, "stdout")).toEqual(["building"]);
  });

  it("waits for the earlier run of the same project, but not for other projects", async () => {
    await world.startAgent();
    const slow = world.control.dispatch(world.order({ build_command: `echo slow; ${untilGo()}` }));
    const next = world.control.dispatch(world.order({ keep_releases: [1] }));
    const other = world.control.dispatch(world.order({ project_id: ids.project() }));
    expect((await world.control.result(other)).outcome).toBe("live");
    expect(slow.events.at(-1)?.type).not.toBe("result");
    expect(next.events).toEqual([]);
    go();
    await world.control.result(next);
    expect(slow.events.at(-1)?.type).toBe("result");
    expect(world.current).toBe("releases/2");
  });

  it("can be canceled while it waits, without an effect on the earlier run", async () => {
    await world.startAgent();
    const slow = world.control.dispatch(world.order({ build_command: untilGo() }));
    const order = world.order();
    const waiting = world.control.dispatch(order);
    world.control.stop(order);
    expect(await world.control.result(waiting)).toEqual({ outcome: "canceled" });
    expect(slow.events.at(-1)?.type).not.toBe("result");
    go();
    expect((await world.control.result(slow)).outcome).toBe("live");
    expect(world.current).toBe("releases/1");
  });
});

describe("a stop for an unknown run", () => {
  it("is ignored", async () => {
    await world.startAgent();
    world.control.stop(world.order());
    expect((await world.deploy()).result.outcome).toBe("live");
  });
});
