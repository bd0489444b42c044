import { afterAll, expect, it } from "vitest";

import { laneSpace, worldWithTwoReleases } from "../../support/model/lane-space.ts";
import type { Budgets } from "../../support/model/model-world.ts";
import { visitAll } from "../../support/model/search.ts";

const scenarios: Record<string, Partial<Budgets>> = {
  "a start and a cancel, with posts lost and doubled": {
    start: 1,
    cancel: 1,
    loss: 1,
    doubling: 1,
    giveUp: 1,
    failure: 1,
  },
  "two starts and a cancel, with answers given up": { start: 2, cancel: 1, giveUp: 1 },
  "a start and a rollback, with a failure": { start: 1, rollback: 1, failure: 1 },
  "a start, with an agent that dies twice": { start: 1, crash: 2, failure: 1 },
  "a rollback, with an agent that dies and reconnects": {
    rollback: 1,
    crash: 1,
    reconnect: 1,
    timeJump: 1,
  },
  "a rollback and a cancel, with a link that is cut": {
    rollback: 1,
    cancel: 1,
    cut: 1,
    crash: 1,
    timeJump: 1,
  },
  "a rollback and a delete, with a link that is cut": {
    rollback: 1,
    delete: 1,
    cut: 1,
    reconnect: 1,
    timeJump: 1,
  },
  "a start, a rollback and a cancel, with a link that is cut": {
    start: 1,
    rollback: 1,
    cancel: 1,
    cut: 1,
    timeJump: 1,
  },
  "a start and a rollback, with an agent that dies": { start: 1, rollback: 1, crash: 1 },
  "two starts, with an agent that reconnects": { start: 2, reconnect: 1 },
  "a start and a rollback, with time that passes early": { start: 1, rollback: 1, timeJump: 1 },
  "a start and a change of settings, with a failure": { start: 1, apply: 1, failure: 1 },
  "a rollback and a change of settings, with an agent that dies": { rollback: 1, apply: 1, crash: 1 },
  "a start and a delete, with time that passes early": { start: 1, delete: 1, timeJump: 2 },
};

let visited = 0;
afterAll(() => console.log(`${visited} states of lane, link and agent visited`));

for (const [name, budgets] of Object.entries(scenarios))
  it(`holds in every order of events: ${name}`, () => {
    const { states, steps } = visitAll(worldWithTwoReleases(budgets), laneSpace);
    console.log(`${name}: ${states} states, ${steps} steps`);
    visited += states;
    expect(states).toBeGreaterThan(1000);
  });
