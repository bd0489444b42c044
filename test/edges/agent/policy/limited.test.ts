import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ids, messagesOf, AgentWorld } from "../../../agent/support/harness.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

const lines = (count: number) => Array.from({ length: count }, (_, at) => `${at + 1}`);

describe("an agent whose requests are rate limited", () => {
  it("sends no report until Retry-After has passed, and loses no line", async () => {
    await world.startAgent();
    const postedAt: number[] = [];
    let refusedAt: number | null = null;
    world.control.retryAfter = 1;
    world.control.faultOf = ({ events }) => {
      postedAt.push(performance.now());
      if (refusedAt !== null || !events.some(({ type }) => type === "output")) return null;
      refusedAt = performance.now();
      return 429;
    };
    const { run, result } = await world.deploy({
      build_command: "for i in $(seq 1 30); do echo $i; sleep 0.02; done",
    });
    expect(result.outcome).toBe("live");
    expect(messagesOf(run, "stdout")).toEqual(lines(30));
    const at = refusedAt ?? NaN;
    expect(postedAt.find((time) => time > at)).toBeGreaterThan(at + 990);
  });

  it("opens no link until Retry-After has passed, and its run continues", async () => {
    await world.startAgent();
    const run = world.control.dispatch(
      world.order({ build_command: "for i in 1 2 3; do echo $i; sleep 0.8; done" }),
    );
    await world.control.waitFor("the build", () => messagesOf(run, "stdout").includes("1"));
    world.control.retryAfter = 1;
    world.control.limitsLink = true;
    const before = world.control.linkTries.length;
    world.control.cutLink();
    await world.control.waitFor("a refused try", () => world.control.linkTries.length > before);
    world.control.limitsLink = false;
    await world.control.waitFor("the link", () => world.control.isConnected);
    const [refused = NaN, next] = world.control.linkTries.slice(before);
    expect(next).toBeGreaterThan(refused + 990);
    expect((await world.control.result(run)).outcome).toBe("live");
    expect(messagesOf(run, "stdout")).toEqual(lines(3));
  });
});

describe("an agent with many busy projects", () => {
  it("stays below the limit with all of them together, and every line arrives", async () => {
    await world.startAgent({ requestBurst: 10, requestsPerSecond: 20 });
    const command = "for i in $(seq 1 60); do echo $i; sleep 0.05; done";
    const startedAt = performance.now();
    const runs = Array.from({ length: 6 }, () =>
      world.control.dispatch(world.order({ project_id: ids.project(), build_command: command })),
    );
    const results = await Promise.all(runs.map((run) => world.control.result(run)));
    const seconds = (performance.now() - startedAt) / 1000;
    expect(results.map(({ outcome }) => outcome)).toEqual(runs.map(() => "live"));
    for (const run of runs) expect(messagesOf(run, "stdout")).toEqual(lines(60));
    expect(world.control.posts).toBeLessThanOrEqual(10 + 20 * seconds + 1);
  });
});
