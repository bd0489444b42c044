import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { RunId, ServerId } from "#contract/ids.ts";
import { checkServing } from "#domain/lane/check-serving.ts";
import { nextDeadline } from "#domain/lane/deadlines.ts";
import { decideCancel } from "#domain/lane/decide-cancel.ts";
import { decideDeadlines } from "#domain/lane/decide-deadlines.ts";
import { decideProjectRemoved } from "#domain/lane/decide-project-removed.ts";
import { decideRunEvents } from "#domain/lane/decide-run-events.ts";
import { Rollout } from "#contract/endpoints/projects/servers.ts";
import { batchOf, firstBatchOf, minimumOf } from "#domain/lane/fleet.ts";
import { activeOf, emptyLane, type Lane, liveOf, type Run } from "#domain/lane/lane.ts";
import {
  noteRemovalSent,
  noteSent,
  noteUndelivered,
  pendingMessages,
  pendingRemovals,
} from "#domain/lane/pending-messages.ts";
import { reconcile } from "#domain/lane/reconcile.ts";
import { currentRuns, isRunIn, isUnended } from "#domain/lane/runs.ts";
import { CI, PROJECT, rollBack, start } from "../../support/lane.ts";
import { sharedServers } from "../../support/fleet-servers.ts";
import {
  crash,
  eventsToPost,
  forgetRuns,
  type ModelAgent,
  receiveAnswer,
  receiveMessage,
  reportOf,
  startedAgent,
  work,
  workingRun,
} from "../../support/model/model-agent.ts";
import { defaultPlan } from "../../support/plan.ts";

const rollouts: fc.Arbitrary<Rollout> = fc.record({
  order: fc.constantFrom("rolling", "at_once"),
  batch: fc.integer({ min: 1, max: 3 }),
  pause_seconds: fc.constantFrom(0, 60),
  canary: fc.constantFrom(null, null, { size: 1, approval: false }, { size: 2, approval: false }),
  on_failure: fc.constantFrom("revert", "revert", "stop", "continue"),
  offline: fc.constantFrom("wait", "skip"),
  min: fc.integer({ min: 1, max: 4 }),
});

type Step =
  | { readonly do: "start" | "roll back" | "cancel" | "forget files" | "alarm" | "run on" }
  | { readonly do: "cut"; readonly on: number }
  | { readonly do: "tell"; readonly how: "once" | "twice" | "lost" | "nobody there" }
  | { readonly do: "work"; readonly on: number; readonly goesWell: boolean }
  | { readonly do: "post"; readonly on: number; readonly answerArrives: boolean }
  | {
      readonly do: "connect";
      readonly on: number;
      readonly restart: "none" | "keeps its runs" | "loses its runs";
    }
  | { readonly do: "wait"; readonly seconds: number };

const on = fc.integer({ min: 0, max: 3 });
const mostly = fc.constantFrom(true, true, true, true, true, true, true, false);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("start" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("run on" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cut" as const), on }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom("roll back", "cancel", "forget files", "alarm") }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("tell" as const),
      how: fc.constantFrom("once", "once", "once", "twice", "lost", "nobody there"),
    }),
  },
  { weight: 12, arbitrary: fc.record({ do: fc.constant("work" as const), on, goesWell: mostly }) },
  { weight: 12, arbitrary: fc.record({ do: fc.constant("post" as const), on, answerArrives: mostly }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("connect" as const),
      on,
      restart: fc.constantFrom("none", "none", "keeps its runs", "loses its runs"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("wait" as const), seconds: fc.constantFrom(1, 30, 400, 1000) }),
  },
);

/** The real lane of a project on several servers, a model of each agent, and a network that loses, repeats and cuts. */
class World {
  lane: Lane = emptyLane;
  now = 0;
  readonly servers: readonly ServerId[];
  readonly #plan: typeof defaultPlan;
  readonly #agents = new Map<ServerId, ModelAgent>();
  readonly #permits = new Set<RunId>();
  readonly #switches: RunId[] = [];
  /** The servers that no message reaches and that reach nobody, until they connect. */
  readonly #away = new Set<ServerId>();

  constructor(servers: readonly ServerId[], rollout: Rollout) {
    this.servers = servers;
    this.#plan = {
      ...defaultPlan,
      fleet: { servers: servers.map((id) => ({ id, processes: null, cron: false })), rollout },
    };
    for (const id of servers) this.#agents.set(id, startedAgent({ project_id: PROJECT, url: null }));
  }

  agentOf(id: ServerId): ModelAgent {
    const agent = this.#agents.get(id);
    if (agent === undefined) throw new Error("no such server");
    return agent;
  }

  perform(next: Step): void {
    const before = this.lane;
    const [first] = this.servers;
    if (first === undefined) throw new Error("no servers");
    const asked = { serverId: first, plan: this.#plan };
    switch (next.do) {
      case "start":
        this.#take(start(this.lane, this.now, asked));
        break;
      case "roll back":
        this.#take(rollBack(this.lane, undefined, this.now, asked));
        break;
      case "cancel": {
        const active = activeOf(this.lane);
        const canceled = active === null ? null : decideCancel(this.lane, active.id, CI, this.now);
        if (canceled?.ok === true) this.lane = canceled.value.lane;
        break;
      }
      case "alarm": {
        const at = nextDeadline(this.lane);
        if (at !== null) this.wait(Math.max(1, (at - this.now) / 1000));
        break;
      }
      case "wait":
        this.wait(next.seconds);
        break;
      case "forget files":
        this.removeLeft();
        break;
      case "tell":
        this.tell(next.how);
        break;
      case "work":
        this.work(this.#pick(next.on), next.goesWell);
        break;
      case "post":
        this.post(this.#pick(next.on), next.answerArrives);
        break;
      case "connect":
        this.connect(this.#pick(next.on), next.restart);
        break;
      case "cut":
        this.#away.add(this.#pick(next.on));
        break;
      case "run on":
        return this.#runOn();
    }
    this.#check(before);
  }

  /** Lets the servers that are there work for a while. */
  #runOn(): void {
    for (let rounds = 0; rounds < 12; rounds += 1) {
      this.perform({ do: "tell", how: "once" });
      for (const at of this.servers.keys()) {
        this.perform({ do: "work", on: at, goesWell: true });
        this.perform({ do: "post", on: at, answerArrives: true });
      }
      this.perform({ do: "wait", seconds: 1 });
    }
  }

  #pick(at: number): ServerId {
    const id = this.servers[at % this.servers.length];
    if (id === undefined) throw new Error("no servers");
    return id;
  }

  #take(decided: ReturnType<typeof start> | ReturnType<typeof rollBack>): void {
    if (decided.ok) this.lane = decided.value.lane;
  }

  wait(seconds: number): void {
    this.now += seconds * 1000;
    this.lane = decideDeadlines(this.lane, this.now).lane;
  }

  tell(how: "once" | "twice" | "lost" | "nobody there"): void {
    for (const { runId, serverId } of pendingMessages(this.lane, PROJECT, this.now)) {
      const due = pendingMessages(this.lane, PROJECT, this.now).find((one) => one.runId === runId);
      if (due === undefined) continue;
      this.lane = noteSent(this.lane, runId, this.now);
      const isThere = this.agentOf(serverId).isUp && !this.#away.has(serverId) && how !== "nobody there";
      if (!isThere) this.lane = noteUndelivered(this.lane, runId, this.now);
      if (!isThere || how === "lost") continue;
      if (due.message.type === "run" && due.message.order.preapproved) this.#permits.add(runId);
      for (let times = 0; times < (how === "twice" ? 2 : 1); times += 1)
        this.#agents.set(serverId, receiveMessage(this.agentOf(serverId), due.message));
    }
  }

  work(id: ServerId, goesWell: boolean): void {
    const agent = this.agentOf(id);
    const run = agent.isUp ? workingRun(agent) : null;
    if (run === null) return;
    const next = work(agent, run, goesWell);
    this.#agents.set(id, next);
    if (
      next.runs.some((one) => one.runId === run.runId && one.phase === "switched") &&
      run.phase !== "switched"
    )
      this.#switches.push(run.runId);
  }

  post(id: ServerId, answerArrives: boolean): void {
    const agent = this.agentOf(id);
    if (!agent.isUp || this.#away.has(id)) return;
    for (const run of agent.runs) {
      const events = eventsToPost({ ...run, awaitsAnswer: false });
      if (events === null) continue;
      const { runId, deploymentId } = run;
      const decided = decideRunEvents(this.lane, { deploymentId, runId, serverId: id, events }, this.now);
      this.lane = decided.lane;
      const { acked_seq: ackedSeq, instruction } = decided.value;
      if (instruction === "activate") this.#permits.add(runId);
      if (answerArrives) this.#agents.set(id, receiveAnswer(this.agentOf(id), runId, ackedSeq, instruction));
      if (events.at(-1)?.type === "result") this.#correct(id);
    }
  }

  connect(id: ServerId, restart: "none" | "keeps its runs" | "loses its runs"): void {
    this.#away.delete(id);
    const before = this.agentOf(id);
    const restarted = restart === "keeps its runs" ? crash(before) : forgetRuns(crash(before));
    const agent = restart === "none" ? before : { ...restarted, isUp: true };
    this.#agents.set(id, agent);
    const runIds = agent.runs.map(({ runId }) => runId);
    this.lane = reconcile(this.lane, { serverId: id, report: reportOf(agent), runIds }, this.now).lane;
    this.#correct(id);
  }

  #correct(id: ServerId): void {
    const check = checkServing(this.lane, { serverId: id, report: reportOf(this.agentOf(id)) });
    if (check.kind !== "correct_release") return;
    const message = { type: "correct_release", project_id: PROJECT, release: check.release } as const;
    this.#agents.set(id, receiveMessage(this.agentOf(id), message));
  }

  removeLeft(): void {
    for (const { serverId, message } of pendingRemovals(this.lane, PROJECT, this.now)) {
      this.lane = noteRemovalSent(this.lane, serverId, false, this.now);
      this.#agents.set(serverId, receiveMessage(this.agentOf(serverId), message));
    }
    for (const [serverId, agent] of this.#agents) {
      if (agent.removal?.isDone !== true) continue;
      const { purge } = agent.removal;
      this.#agents.set(serverId, { ...agent, removal: null });
      this.lane = decideProjectRemoved(this.lane, { serverId, purge }).lane;
    }
  }

  /** Lets everything happen that happens by itself on a network that works. */
  settle(): void {
    const isBusy = () =>
      activeOf(this.lane) !== null ||
      currentRuns(this.lane).length > 0 ||
      [...this.#agents.values()].some(({ runs }) => runs.length > 0);
    for (let rounds = 0; rounds < 4 || isBusy(); rounds += 1) {
      expect(rounds, "everything ends").toBeLessThan(600);
      for (const id of this.servers) this.connect(id, this.agentOf(id).isUp ? "none" : "keeps its runs");
      this.tell("once");
      for (const id of this.servers) {
        this.work(id, true);
        this.post(id, true);
      }
      this.removeLeft();
      this.wait(15);
    }
  }

  #check(before: Lane): void {
    const active = activeOf(this.lane);
    for (const runId of this.#switches)
      expect(this.#permits.has(runId), "no switch without a permit").toBe(true);
    if (active === null) return;
    const { runs, quota, opened } = active.state;
    const { fleet } = active.state.plan;
    if (fleet === undefined) throw new Error("a project on several servers");
    const own = runs.filter(({ goesBackTo }) => goesBackTo === null);
    const had = own.filter(hasPermit);
    if (had.length > 0) expect(opened, "no permit before all were ready").toBe(true);
    expect(had.length, "no more than the quota").toBeLessThanOrEqual(quota);
    const inFlight = own.filter((run) => isRunIn(run, "running") && run.state.permitted).length;
    const most = Math.max(firstBatchOf(fleet), batchOf(fleet));
    expect(inFlight, "no more than a batch in flight").toBeLessThanOrEqual(most);
    const there = own.filter((run) => !isRunIn(run, "skipped")).length;
    expect(there, "enough servers take part").toBeGreaterThanOrEqual(minimumOf(fleet));
    for (const id of this.servers)
      expect(
        runs.filter((run) => run.serverId === id && isUnended(run)).length,
        "one run",
      ).toBeLessThanOrEqual(1);
    const wasOpened = activeOf(before)?.id === active.id && activeOf(before)?.state.opened === true;
    if (opened && !wasOpened)
      expect(
        own.every((run) => isRunIn(run, "skipped") || (isRunIn(run, "running") && run.state.ready)),
        "the barrier opens when all are ready",
      ).toBe(true);
    const commits = new Set(
      own.flatMap((run) => (isRunIn(run, "switched") ? [run.state.evidence?.commit_sha] : [])),
    );
    expect(commits.size, "one commit").toBeLessThanOrEqual(1);
  }
}

function hasPermit(run: Run): boolean {
  if (isRunIn(run, "running")) return run.state.permitted;
  return isRunIn(run, "switched") || (isRunIn(run, "broken") && run.state.wasPermitted);
}

const worlds = fc.tuple(fc.integer({ min: 2, max: 4 }), rollouts);

describe("a deployment to several servers, with any events in any order", () => {
  it("switches no server before all are ready, and no more than a batch at a time", () => {
    fc.assert(
      fc.property(worlds, fc.array(step, { maxLength: 120, size: "max" }), ([count, rollout], steps) => {
        const world = new World(sharedServers(count), rollout);
        for (const next of steps) world.perform(next);
      }),
      { numRuns: 300 },
    );
  });

  it("ends, and then each server serves what its record says, when the network works again", () => {
    fc.assert(
      fc.property(worlds, fc.array(step, { maxLength: 100, size: "max" }), ([count, rollout], steps) => {
        const world = new World(sharedServers(count), rollout);
        for (const next of steps) world.perform(next);
        world.settle();
        const live = liveOf(world.lane);
        if (live !== null) {
          const behind = live.state.behind ?? [];
          expect(behind, "no server is behind").toEqual([]);
          expect(new Set(live.state.served.map(({ serverId }) => serverId))).toEqual(new Set(world.servers));
        }
        for (const served of live?.state.served ?? []) {
          const agent = world.agentOf(served.serverId);
          const expected = served.instead ?? served.release;
          const mustServe = served.instead === undefined || agent.releases.includes(expected);
          if (mustServe) expect(agent.current).toBe(expected);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("goes back on every server that has switched, if one fails", () => {
    const world = new World(sharedServers(3), Rollout.parse({}));
    world.perform({ do: "start" });
    world.settle();
    expect(world.servers.map((id) => world.agentOf(id).current)).toEqual([1, 1, 1]);
    world.perform({ do: "start" });
    const [, second] = world.servers;
    for (let rounds = 0; rounds < 40; rounds += 1) {
      world.tell("once");
      for (const id of world.servers) {
        const isFailing = id === second && workingRun(world.agentOf(id))?.phase === "switched";
        world.work(id, !isFailing);
        world.post(id, true);
      }
      world.wait(1);
    }
    expect(world.lane.deployments.map(({ state }) => state.name)).toEqual(["live", "failed"]);
    expect(world.servers.map((id) => world.agentOf(id).current)).toEqual([1, 1, 1]);
  });
});
