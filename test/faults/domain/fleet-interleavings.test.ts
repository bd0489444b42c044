import { afterAll, expect, it } from "vitest";

import { Rollout } from "#contract/endpoints/projects/servers.ts";
import { sharedServers } from "../../support/fleet-servers.ts";
import { checkRest } from "../../support/model/fleet-checks.ts";
import {
  type FleetBudgets,
  fleetSpace,
  type FleetState,
  firstState,
  settle,
} from "../../support/model/fleet-space.ts";
import { type Space, visitAll } from "../../support/model/search.ts";
import { sampleOf } from "../../support/sample.ts";

/** `servers`: how many the deployments have. `before`: how many the project had. `releases`: how many were live there. */
type Scenario = {
  readonly servers: number;
  readonly before?: number;
  readonly releases?: number;
  readonly rollout?: Partial<Rollout>;
  readonly budgets: Partial<FleetBudgets>;
};

const skip = { offline: "skip" } as const;
const goOn = { on_failure: "continue" } as const;
const stop = { on_failure: "stop" } as const;

const scenarios: Record<string, Scenario> = {
  "a failure and a cancel": { servers: 3, budgets: { start: 1, failure: 1, cancel: 1 } },
  "a failure, and a server that is cut off": { servers: 3, budgets: { start: 1, cut: 1, failure: 1 } },
  "a cancel, and an agent that dies": { servers: 3, budgets: { start: 1, crash: 1, cancel: 1 } },
  "a failure and a push, all at once": {
    servers: 3,
    rollout: { order: "at_once" },
    budgets: { start: 1, push: 1, failure: 1, answer: 1 },
  },
  "a failure while others continue, and an agent that loses its runs": {
    servers: 3,
    rollout: { ...goOn, min: 2 },
    budgets: { start: 1, failure: 1, forget: 1 },
  },
  "a canary, and failures": {
    servers: 3,
    rollout: { canary: { size: 1, approval: false }, batch: 2, pause_seconds: 30 },
    budgets: { start: 1, failure: 2, lost: 1 },
  },
  "first servers that need an approval": {
    servers: 3,
    rollout: { canary: { size: 1, approval: true }, batch: 2 },
    budgets: { start: 1, approve: 1, cancel: 1, failure: 1, cut: 1 },
  },
  "a rollback, a failure and a cancel": {
    servers: 3,
    budgets: { rollback: 1, failure: 1, cancel: 1, unlink: 1 },
  },
  "a server that leaves the project": {
    servers: 2,
    before: 3,
    budgets: { start: 1, failure: 1, cut: 1, cancel: 1 },
  },
  "a server that leaves the project and returns": {
    servers: 1,
    before: 2,
    budgets: { start: 1, undo: 1, failure: 1, cut: 1 },
  },
  "two servers that may be left out": {
    servers: 3,
    rollout: { ...skip, batch: 2 },
    budgets: { start: 1, cut: 2 },
  },
  "a server that is left out after its agent has died": {
    servers: 3,
    rollout: skip,
    budgets: { start: 1, crash: 1, failure: 1 },
  },
  "two starts, and a server that is left out": {
    servers: 2,
    rollout: skip,
    budgets: { start: 2, cut: 1, failure: 1 },
  },
  "a failure and a cancel while others continue, and a server that is left out": {
    servers: 2,
    rollout: { ...skip, ...goOn },
    budgets: { start: 1, cut: 1, failure: 1, cancel: 1 },
  },
  "a server that is lost while others continue": {
    servers: 2,
    rollout: goOn,
    budgets: { start: 1, time: 2, cut: 1 },
  },
  "time that passes, and a server that is left out while others continue": {
    servers: 2,
    rollout: { ...skip, ...goOn },
    budgets: { start: 1, time: 1, cut: 1, answer: 1 },
  },
  "a failure that stops, a rollback, and files that are gone": {
    servers: 2,
    rollout: stop,
    budgets: { start: 1, rollback: 1, failure: 1, wipe: 1 },
  },
  "a rollback and a start, with a cut and a failure": {
    servers: 2,
    budgets: { rollback: 1, start: 1, cut: 1, failure: 1 },
  },
  "a failure, and an answer and a message that are lost": {
    servers: 2,
    budgets: { start: 1, unlink: 1, answer: 1, lost: 1, failure: 1 },
  },
  "a message that is lost, time that passes and a cancel": {
    servers: 2,
    budgets: { start: 1, lost: 1, time: 1, cancel: 1, answer: 1 },
  },
  "a new server that is left out twice": {
    servers: 2,
    before: 1,
    rollout: skip,
    budgets: { start: 2, failure: 1, cut: 1 },
  },
  "settings that are applied to a new server": {
    servers: 2,
    before: 1,
    budgets: { apply: 1, start: 1, failure: 1, cut: 1 },
  },
  "first deployments, and a server that is left out": {
    servers: 2,
    releases: 0,
    rollout: skip,
    budgets: { start: 2, cut: 1, failure: 1 },
  },
};

/** How many of the states on the way are brought to rest. It takes some 50 steps. */
const SETTLED = 100;

let visited = 0;
afterAll(() => console.log(`${visited} states of a lane and the agents of its servers visited`));

function checkedSpace(): Space<FleetState> {
  let checked = 0;
  return {
    ...fleetSpace,
    check(before, after) {
      fleetSpace.check(before, after);
      checked += 1;
      if (checked % SETTLED === 0) checkRest(settle(after.world));
    },
  };
}

for (const [name, scenario] of sampleOf(Object.entries(scenarios), 6))
  it(`keeps every rule of a fleet in every order of events: ${name}`, { timeout: 300_000 }, () => {
    const { servers, before = servers, releases = 2, rollout = {}, budgets } = scenario;
    const all = sharedServers(Math.max(servers, before));
    const first = firstState({
      before: all.slice(0, before),
      servers: all.slice(0, servers),
      releases,
      rollout: Rollout.parse(rollout),
      budgets,
    });
    const { states, steps } = visitAll(first, checkedSpace());
    console.log(`${name}: ${states} states, ${steps} steps`);
    visited += states;
    expect(states).toBeGreaterThan(1_000);
  });
