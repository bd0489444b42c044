import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { ServerId } from "#contract/ids.ts";
import { Rollout } from "#contract/endpoints/projects/servers.ts";
import { sharedServers } from "../../support/fleet-servers.ts";
import { checkRest, checkStep } from "../../support/model/fleet-checks.ts";
import { rolledBack, settle, started } from "../../support/model/fleet-space.ts";
import {
  act,
  approveActive,
  cancelActive,
  connect,
  cut,
  type FleetWorld,
  idsIn,
  kill,
  newFleet,
  post,
  push,
  remove,
  removeBuilds,
  type Restart,
  type Sending,
  serverOf,
  tell,
  untilAlarm,
  wait,
} from "../../support/model/fleet-world.ts";
import { workingRun } from "../../support/model/model-agent.ts";

const rollouts: fc.Arbitrary<Rollout> = fc.record({
  order: fc.constantFrom("rolling", "at_once"),
  batch: fc.integer({ min: 1, max: 3 }),
  pause_seconds: fc.constantFrom(0, 60),
  canary: fc.constantFrom(
    ...[null, null, { size: 1, approval: false }, { size: 2, approval: false }],
    ...[
      { size: 1, approval: true },
      { size: 2, approval: true },
    ],
  ),
  on_failure: fc.constantFrom("revert", "revert", "stop", "continue"),
  offline: fc.constantFrom("wait", "skip"),
  min: fc.integer({ min: 1, max: 4 }),
});

type Step =
  | {
      readonly do:
        | "start"
        | "start on fewer"
        | "roll back"
        | "cancel"
        | "approve"
        | "push"
        | "remove files"
        | "alarm"
        | "run on";
    }
  | { readonly do: "cut"; readonly on: number; readonly network: "cut" | "no socket" }
  | { readonly do: "tell"; readonly how: Sending }
  | { readonly do: "work"; readonly on: number; readonly goesWell: boolean }
  | { readonly do: "post"; readonly on: number; readonly answerArrives: boolean }
  | { readonly do: "connect"; readonly on: number; readonly restart: Restart }
  | { readonly do: "wait"; readonly seconds: number };

const on = fc.integer({ min: 0, max: 3 });
const mostly = fc.constantFrom(true, true, true, true, true, true, true, false);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("start" as const, "start" as const, "start on fewer" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("run on" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("cut" as const),
      on,
      network: fc.constantFrom("cut", "cut", "no socket"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom("roll back", "cancel", "approve", "push", "remove files", "alarm"),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("tell" as const),
      how: fc.constantFrom("once", "once", "once", "once", "twice", "lost"),
    }),
  },
  { weight: 12, arbitrary: fc.record({ do: fc.constant("work" as const), on, goesWell: mostly }) },
  { weight: 12, arbitrary: fc.record({ do: fc.constant("post" as const), on, answerArrives: mostly }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("connect" as const),
      on,
      restart: fc.constantFrom("none", "none", "none", "keeps its runs", "loses its runs", "loses its files"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("wait" as const), seconds: fc.constantFrom(1, 30, 400, 1000) }),
  },
);

/** A world of a project on several servers that changes, and is checked after each change. */
class History {
  world: FleetWorld;
  readonly #asked: {
    readonly servers: readonly ServerId[];
    readonly rollout: Rollout;
    readonly builder: ServerId | undefined;
  };

  /** @param builder the server that builds for all; undefined: each for itself */
  constructor(servers: readonly ServerId[], rollout: Rollout, builder?: ServerId) {
    this.world = newFleet(builder === undefined ? servers : [...new Set([...servers, builder])]);
    this.#asked = { servers, rollout, builder };
  }

  perform(next: Step): void {
    switch (next.do) {
      case "start":
        return this.#change(started(this.world, this.#asked));
      case "start on fewer":
        return this.#change(started(this.world, { ...this.#asked, servers: this.#asked.servers.slice(1) }));
      case "roll back":
        return this.#change(rolledBack(this.world, this.#asked));
      case "cancel":
        return this.#change(cancelActive(this.world));
      case "approve":
        return this.#change(approveActive(this.world));
      case "push":
        return this.#change(push(this.world, this.world.lane.nextVersion));
      case "alarm":
        return this.#change(untilAlarm(this.world));
      case "wait":
        return this.#change(wait(this.world, next.seconds * 1000, { areHeard: false }));
      case "remove files":
        this.#change(removeBuilds(this.world));
        return this.#onEach((id) => remove(this.world, id));
      case "tell":
        return this.#onEach((id) => tell(this.world, id, next.how));
      case "work":
        return this.#change(act(this.world, this.#pick(next.on), next.goesWell));
      case "post":
        return this.#post(this.#pick(next.on), next.answerArrives);
      case "connect": {
        const id = this.#pick(next.on);
        if (next.restart !== "none") this.#change(kill(this.world, id, next.restart));
        return this.#change(connect(this.world, id));
      }
      case "cut":
        return this.#change(cut(this.world, this.#pick(next.on), next.network));
      case "run on":
        return this.#runOn();
    }
  }

  /** Lets the servers that are there work for a while. */
  #runOn(): void {
    for (let rounds = 0; rounds < 12; rounds += 1) {
      this.perform({ do: "tell", how: "once" });
      for (const at of idsIn(this.world).keys()) {
        this.perform({ do: "work", on: at, goesWell: true });
        this.perform({ do: "post", on: at, answerArrives: true });
      }
      this.perform({ do: "wait", seconds: 1 });
    }
  }

  #post(id: ServerId, isHeard: boolean): void {
    for (const { runId } of serverOf(this.world, id).agent.runs)
      this.#change(post(this.world, id, runId, isHeard));
  }

  #onEach(change: (id: ServerId) => FleetWorld): void {
    for (const id of idsIn(this.world)) this.#change(change(id));
  }

  #change(next: FleetWorld): void {
    const before = this.world;
    this.world = next;
    checkStep(before, next);
  }

  #pick(at: number): ServerId {
    const ids = idsIn(this.world);
    const id = ids[at % ids.length];
    if (id === undefined) throw new Error("no servers");
    return id;
  }
}

const histories = fc.tuple(fc.integer({ min: 2, max: 4 }), rollouts);

/** With one of the servers as builder, or another one. */
const built = fc
  .tuple(fc.integer({ min: 2, max: 3 }), rollouts, fc.integer({ min: 0, max: 3 }))
  .map(([count, rollout, at]) => {
    const servers = sharedServers(count);
    return { servers, rollout, builder: servers[at] ?? sharedServers(count + 1)[count] };
  });

describe("a deployment to several servers, with any events in any order", () => {
  it("keeps every rule, ends, and leaves each server with what its record says", () => {
    fc.assert(
      fc.property(histories, fc.array(step, { maxLength: 120, size: "max" }), ([count, rollout], steps) => {
        const history = new History(sharedServers(count), rollout);
        for (const next of steps) history.perform(next);
        checkRest(settle(history.world));
      }),
      { numRuns: 400 },
    );
  });

  it("goes back on every server that has switched, if one fails", () => {
    const history = new History(sharedServers(3), Rollout.parse({}));
    history.perform({ do: "start" });
    history.world = settle(history.world);
    const current = () => idsIn(history.world).map((id) => serverOf(history.world, id).agent.current);
    expect(current()).toEqual([1, 1, 1]);
    history.perform({ do: "start" });
    const [, second] = idsIn(history.world);
    for (let rounds = 0; rounds < 40; rounds += 1) {
      history.perform({ do: "tell", how: "once" });
      for (const [at, id] of idsIn(history.world).entries()) {
        const isFailing =
          id === second && workingRun(serverOf(history.world, id).agent)?.phase === "switched";
        history.perform({ do: "work", on: at, goesWell: !isFailing });
        history.perform({ do: "post", on: at, answerArrives: true });
      }
      history.perform({ do: "wait", seconds: 1 });
    }
    expect(history.world.lane.deployments.map(({ state }) => state.name)).toEqual(["live", "failed"]);
    expect(current()).toEqual([1, 1, 1]);
  });
});

describe("a deployment that one server builds for all, with any events in any order", () => {
  it("keeps every rule, ends, and keeps the builds of two releases", () => {
    fc.assert(
      fc.property(
        built,
        fc.array(step, { maxLength: 120, size: "max" }),
        ({ servers, rollout, builder }, steps) => {
          const history = new History(servers, rollout, builder);
          for (const next of steps) history.perform(next);
          const rest = settle(history.world);
          checkRest(rest);
          const stored = removeBuilds(rest).lane.deployments.filter(({ build }) => build?.isStored === true);
          expect(new Set(stored.map(({ codeVersion }) => codeVersion)).size).toBeLessThanOrEqual(2);
        },
      ),
      { numRuns: 300 },
    );
  });
});
