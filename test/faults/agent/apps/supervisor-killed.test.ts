import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { again, KilledApp } from "../../../agent/support/killed-app.ts";

let app: KilledApp;
beforeEach(async () => {
  app = await KilledApp.create();
});
afterEach(() => app.close());

describe("a supervisor that is killed before any of the agent's steps of a switch", () => {
  beforeEach(() => app.deploy());

  it("alone leaves what the control plane calls live, and nothing else", async () => {
    const steps = await app.killInRuns(() => app.order(again), "instances", "supervisor");
    expect(steps).toEqual(expect.arrayContaining(["web-N-N.json", "run.json", "current"]));
  }, 1_500_000);

  it("together with the agent does the same", async () => {
    // Every third step, because each takes a start of both.
    const steps = await app.killInRuns(() => app.order(again), "instances", "both", 3);
    expect(steps.length).toBeGreaterThan(5);
  }, 1_500_000);
});
