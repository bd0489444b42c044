import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { partsOf } from "../../../support/sample.ts";
import { again, KilledApp } from "../../../agent/support/killed-app.ts";

let app: KilledApp;
afterEach(() => app.close());

describe.each(partsOf(6))(
  "a supervisor that is killed before any of the agent's steps, $part, of a switch",
  (part) => {
    beforeEach(async () => {
      app = await KilledApp.create(part);
      await app.deploy();
    });

    it.each(["supervisor", "both"] as const)(
      "leaves what the control plane calls live, and nothing else; killed: %s",
      async (victims) => {
        const steps = await app.killInRuns(() => app.order(again), "instances", victims);
        expect(steps).toEqual(expect.arrayContaining(["web-N-N.json", "run.json", "current"]));
      },
    );
  },
);
