import { existsSync, writeFileSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { resultOf, type FakeRun } from "../../support/fake-control-plane.ts";
import { eventsOf, ids, messagesOf, AgentWorld } from "../support/harness.ts";
import { smallApp, smallWeb } from "../support/small-app.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

/** Starts a run that waits for its permit, with a control plane that asks for few requests. */
async function waitingRun(pollSeconds: number | null): Promise<FakeRun> {
  if (pollSeconds !== null) world.control.additions = { poll_seconds: pollSeconds };
  const run = world.control.dispatch(world.order(), { grantsPermit: false });
  await world.control.waitFor("the request", () => eventsOf(run, "ready").length > 0);
  return run;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const permit = ({ order }: FakeRun) => {
  const { project_id, run_id } = order;
  world.control.send({ type: "permit", project_id, run_id });
};

/** How many requests the run sends in this time. */
async function postsIn(run: FakeRun, ms: number): Promise<number> {
  const before = run.posts;
  await pause(ms);
  return run.posts - before;
}

describe("a run that waits for its permit", () => {
  it("asks as rarely as the control plane wants, and at once when it hears of its permit", async () => {
    await world.startAgent();
    const run = await waitingRun(20);
    await pause(100);
    // The test's agent would ask every 30 ms otherwise, and show a sign of life every 400 ms.
    expect(await postsIn(run, 600)).toBe(0);
    permit(run);
    await world.control.waitFor("a request", () => run.posts > 1);
    expect(resultOf(run)).toBeNull();
    run.grantsPermit = true;
    permit(run);
    expect(await world.control.result(run, 5_000)).toMatchObject({ outcome: "live" });
  });

  it("asks again by itself after that time", async () => {
    await world.startAgent();
    const run = await waitingRun(1);
    run.grantsPermit = true;
    expect(await world.control.result(run, 5_000)).toMatchObject({ outcome: "live" });
  });

  it("asks often if the control plane does not say how often", async () => {
    await world.startAgent();
    const run = await waitingRun(null);
    expect(await postsIn(run, 600)).toBeGreaterThan(4);
    run.grantsPermit = true;
    expect(await world.control.result(run)).toMatchObject({ outcome: "live" });
  });

  it("asks again if it hears of its permit while an older answer is on its way", async () => {
    await world.startAgent();
    let run: FakeRun | null = null;
    world.control.faultOf = ({ events }) => {
      if (events.some(({ type }) => type === "ready") && run !== null) permit(run);
      return null;
    };
    world.control.afterAnswer = () => {
      if (run !== null && eventsOf(run, "ready").length > 0) run.grantsPermit = true;
    };
    world.control.additions = { poll_seconds: 20 };
    run = world.control.dispatch(world.order(), { grantsPermit: false });
    expect(await world.control.result(run, 5_000)).toMatchObject({ outcome: "live" });
  });

  it("asks at once when the link is open again, because a message may have been lost", async () => {
    await world.startAgent();
    const run = await waitingRun(20);
    run.grantsPermit = true;
    world.control.cutLink();
    expect(await world.control.result(run, 5_000)).toMatchObject({ outcome: "live" });
  });

  it("asks at once although its last requests failed, but not earlier than the control plane allows", async () => {
    await world.startAgent({ backOffBaseMs: 60_000, backOffCapMs: 60_000 });
    const run = await waitingRun(1);
    world.control.faultOf = () => 503;
    const before = run.posts;
    await world.control.waitFor("a failure", () => run.posts > before);
    world.control.retryAfter = 1;
    permit(run);
    await world.control.waitFor("another failure", () => run.posts > before + 1);
    world.control.faultOf = () => null;
    run.grantsPermit = true;
    const refusedAt = performance.now();
    await pause(50);
    permit(run);
    expect(await world.control.result(run, 5_000)).toMatchObject({ outcome: "live" });
    expect(performance.now() - refusedAt).toBeGreaterThan(900);
  });

  it("stops at once when it is canceled", async () => {
    await world.startAgent();
    const run = await waitingRun(20);
    world.control.stop(run.order);
    run.instruction = "stop";
    expect(await world.control.result(run, 5_000)).toEqual({ outcome: "canceled" });
  });
});

describe("a message about a permit", () => {
  it("changes nothing for runs that do not wait, do not exist or have ended", async () => {
    await world.startAgent();
    const build_command = `while [ ! -e ${world.file("go")} ]; do sleep 0.02; done`;
    const run = world.control.dispatch(world.order({ build_command }), { grantsPermit: false });
    await world.control.waitFor("the build", () =>
      eventsOf(run, "stage").some(({ stage }) => stage === "build"),
    );
    permit(run);
    const { project_id } = run.order;
    world.control.send({ type: "permit", project_id, run_id: ids.run() });
    await pause(100);
    expect(eventsOf(run, "ready")).toEqual([]);
    run.grantsPermit = true;
    writeFileSync(world.file("go"), "");
    expect(await world.control.result(run)).toMatchObject({ outcome: "live" });
    for (let count = 0; count < 3; count += 1) permit(run);
    expect((await world.deploy({ keep_releases: [1] })).result).toMatchObject({ outcome: "live" });
    expect(world.control.hellos).toBe(1);
  });
});

describe("other servers, which wait for the stages of the first one,", () => {
  it("learn of the release command, the start and the switch while they are under way", async () => {
    world.repository.commit(smallApp("one"));
    await world.startAgent({ flushMs: 100, settleMs: 2_000, signOfLifeMs: 20_000 });
    const waits = (name: string) => `while [ ! -e ${world.file(name)} ]; do sleep 0.02; done`;
    const run = world.control.dispatch(
      world.order({
        release_command: waits("migrated"),
        processes: {
          web: { ...smallWeb, command: `${waits("started")}; ${smallWeb.command}` },
          worker: { command: "exec sleep 1000" },
        },
      }),
    );
    const reaches = (name: string, ms = 60_000) =>
      world.control.waitFor(name, () => eventsOf(run, "stage").some(({ stage }) => stage === name), ms);
    await reaches("release");
    writeFileSync(world.file("migrated"), "");
    await reaches("start");
    writeFileSync(world.file("started"), "");
    await reaches("activate");
    expect(resultOf(run)).toBeNull();
    expect(existsSync(world.path("current"))).toBe(true);
    expect(await world.control.result(run)).toMatchObject({ outcome: "live" });
    expect(messagesOf(run)).toContain("starting worker-1-0");
  });
});

it("names its part in rollouts over several servers among its capabilities", async () => {
  await world.startAgent();
  expect(world.control.lastHello?.capabilities).toContain("fleet");
});
