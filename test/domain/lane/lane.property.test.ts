import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { RunId } from "#contract/ids.ts";
import type { Result } from "#contract/problems.ts";
import { decideCancel } from "#domain/lane/decide-cancel.ts";
import { decideDeadlines } from "#domain/lane/decide-deadlines.ts";
import { decideDelete } from "#domain/lane/decide-delete.ts";
import { decideGreeting } from "#domain/lane/decide-greeting.ts";
import { decideRunEvents } from "#domain/lane/decide-run-events.ts";
import { nextDeadline } from "#domain/lane/deadlines.ts";
import type { Decision } from "#domain/lane/decision.ts";
import { dueMessage, noteTold } from "#domain/lane/due-message.ts";
import { activeOf, emptyLane, isIn, type Lane, LaneDeployment, liveOf } from "#domain/lane/lane.ts";
import { forgettable } from "#domain/lane/transitions.ts";
import { PROJECT, rollBack, SERVER, start } from "../../support/lane.ts";
import { SimulatedAgent } from "../../support/simulated-agent.ts";

/** A step that the world takes: a client, the network, the agent or the clock. */
const step = fc.oneof(
  fc.record({ do: fc.constant("start" as const), latest: fc.boolean() }),
  fc.record({ do: fc.constant("roll back" as const), version: fc.option(fc.nat(12)) }),
  fc.record({ do: fc.constantFrom("cancel" as const, "delete" as const), pick: fc.nat() }),
  fc.record({ do: fc.constant("tell" as const), arrives: fc.boolean(), twice: fc.boolean() }),
  fc.record({ do: fc.constant("work" as const), succeeds: fc.boolean() }),
  fc.record({
    do: fc.constant("post" as const),
    resendFrom: fc.nat(3),
    skip: fc.nat(1),
    answerArrives: fc.boolean(),
  }),
  fc.record({ do: fc.constant("connect" as const), crashed: fc.boolean() }),
  fc.record({ do: fc.constant("wait" as const), seconds: fc.constantFrom(1, 30, 400, 1000) }),
  fc.constant({ do: "forget" as const }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** The lane, an agent and an unreliable network between them. */
class World {
  lane: Lane = emptyLane;
  readonly agent = new SimulatedAgent();
  now = 0;
  readonly givenOut: number[] = [];
  readonly permits = new Set<RunId>();

  take(next: Step): void {
    const before = this.lane;
    this.#take(next);
    this.#check(before);
  }

  #take(next: Step): void {
    switch (next.do) {
      case "start":
        return this.#join(start(this.lane, this.now, { queue: next.latest ? "latest" : "all" }));
      case "roll back":
        return this.#join(rollBack(this.lane, { deploymentId: null, version: next.version }, this.now));
      case "cancel":
      case "delete": {
        const picked = this.lane.deployments[next.pick % Math.max(1, this.lane.deployments.length)];
        if (picked === undefined) return;
        const decide = next.do === "cancel" ? decideCancel : decideDelete;
        return this.#accept(decide(this.lane, picked.id, "ci", this.now));
      }
      case "tell":
        return this.tell(next.arrives, next.twice);
      case "work":
        return this.agent.work(next.succeeds);
      case "post":
        return this.post(next.resendFrom, next.skip, next.answerArrives);
      case "connect":
        return this.connect(next.crashed);
      case "wait":
        this.now += next.seconds * 1000;
        this.lane = decideDeadlines(this.lane, this.now).lane;
        return;
      case "forget": {
        const gone = new Set(forgettable(this.lane));
        this.lane = { ...this.lane, deployments: this.lane.deployments.filter((one) => !gone.has(one)) };
      }
    }
  }

  tell(arrives: boolean, twice: boolean): void {
    const due = dueMessage(this.lane, PROJECT, this.now);
    if (due === null) return;
    this.lane = noteTold(this.lane, due.deploymentId, false, this.now);
    if (due.message.type === "run" && due.message.order.permitted && arrives)
      this.permits.add(due.message.order.run_id);
    if (arrives) this.agent.hear(due.message);
    if (arrives && twice) this.agent.hear(due.message);
  }

  post(resendFrom: number, skip: number, answerArrives: boolean): void {
    const [run] = this.agent.runs;
    if (run === undefined) return;
    const events = run.events.slice(Math.max(0, run.ackedSeq - resendFrom)).slice(skip);
    const { deploymentId, runId } = run;
    const decided = decideRunEvents(this.lane, { deploymentId, runId, serverId: SERVER, events }, this.now);
    if (!decided.ok) throw new Error(decided.refusal.code);
    this.lane = decided.value.lane;
    const { acked_seq, instruction } = decided.value.value;
    if (instruction === "activate") this.permits.add(runId);
    if (!answerArrives) return;
    run.ackedSeq = Math.max(run.ackedSeq, acked_seq);
    this.agent.obey(runId, instruction);
  }

  connect(crashed: boolean): void {
    if (crashed) this.agent.crash();
    const runId = this.agent.runs[0]?.runId ?? null;
    const decided = decideGreeting(
      this.lane,
      { serverId: SERVER, report: this.agent.report(), runId },
      this.now,
    );
    this.lane = decided.lane;
    const { restore } = decided.value;
    if (restore !== null) this.agent.hear({ type: "restore", project_id: PROJECT, release: restore });
  }

  #join(decided: ReturnType<typeof start> | ReturnType<typeof rollBack>): void {
    if (!decided.ok) return;
    this.lane = decided.value.lane;
    this.givenOut.push(decided.value.value.version);
  }

  #accept(decided: Result<Decision>): void {
    if (decided.ok) this.lane = decided.value.lane;
  }

  #check(before: Lane): void {
    const { deployments } = this.lane;
    const count = (...names: Parameters<typeof isIn>[1][]) =>
      deployments.filter((one) => isIn(one, ...names)).length;
    expect(count("offered", "running"), "at most one runs").toBeLessThanOrEqual(1);
    expect(count("live"), "at most one is live").toBeLessThanOrEqual(1);
    if (count("queued") > 0) expect(activeOf(this.lane), "a queue has something ahead of it").not.toBeNull();
    expect(this.givenOut, "versions rise without a gap").toEqual(this.givenOut.map((_, index) => index + 1));
    const versions = deployments.map((one) => one.version);
    expect(versions, "a lane stands in the order of versions").toEqual(versions.toSorted((a, b) => a - b));
    for (const one of deployments)
      if (isIn(one, "queued", "offered", "running")) expect(one.state.deadlineAt).toBeGreaterThan(0);
    const liveBefore = liveOf(before);
    if (liveBefore !== null) {
      const now = deployments.find((one) => one.id === liveBefore.id);
      expect(now?.state.name, "the live one is only ever superseded").toMatch(/^(live|superseded)$/);
    }
    for (const [runId] of this.agent.switches)
      expect(this.permits.has(runId), "no switch without a permit").toBe(true);
    for (const one of deployments) LaneDeployment.parse(JSON.parse(JSON.stringify(one)));
  }
}

const unended = (lane: Lane) => lane.deployments.filter((one) => isIn(one, "queued", "offered", "running"));

describe("a lane, whatever comes in whatever order", () => {
  it("runs one at a time, keeps one live, counts up, and switches only by permit", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const world = new World();
        for (const next of steps) world.take(next);
      }),
      { numRuns: 1500 },
    );
  });

  it("ends everything by itself when nobody is ever heard of again", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const world = new World();
        for (const next of steps) world.take(next);
        // The clock goes only as far as the lane's own alarm would: a missing deadline shows as one that never comes.
        for (let alarms = 0; unended(world.lane).length > 0; alarms += 1) {
          expect(alarms).toBeLessThan(2000);
          const wakeAt = nextDeadline(world.lane);
          if (wakeAt === null) throw new Error("something is unended, and no alarm is set");
          world.now = Math.max(world.now + 1000, wakeAt);
          world.tell(false, false);
          world.lane = decideDeadlines(world.lane, world.now).lane;
        }
      }),
      { numRuns: 500 },
    );
  });

  it("comes, once the network works again, to a server that serves what is live", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const world = new World();
        for (const next of steps) world.take(next);
        world.connect(false);
        for (let rounds = 0; unended(world.lane).length + world.agent.runs.length > 0; rounds += 1) {
          expect(rounds).toBeLessThan(500);
          world.now += 1000;
          world.lane = decideDeadlines(world.lane, world.now).lane;
          world.tell(true, false);
          world.agent.work(true);
          world.post(0, 0, true);
        }
        world.connect(false);
        const live = liveOf(world.lane);
        if (live !== null && world.agent.releases.has(live.state.release))
          expect(world.agent.current).toBe(live.state.release);
      }),
      { numRuns: 500 },
    );
  });
});
