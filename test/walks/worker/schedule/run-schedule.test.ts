import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { EventFeed } from "#worker/objects/event-feed/event-feed.ts";
import { parts } from "#worker/schedule/run-schedule.ts";
import { aroundCalls, onCalls } from "../../../support/worker/intercept.ts";
import { databasePrototypes } from "../../../support/worker/statements.ts";
import { createWorld } from "../../../support/worker/world.ts";

const clock = { now: () => Date.now() };

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  return () => vi.restoreAllMocks();
});

describe("the budget of a run", () => {
  it.each(parts.map((part) => [part.name, part] as const))(
    "counts at least the statements that a step makes: %s",
    async (_, part) => {
      for (const name of ["one", "two", "three"]) await createWorld(name);
      let statements = 0;
      // Objects make their statements in invocations of their own: lanes through sessions, a feed like the schedule.
      aroundCalls(EventFeed.prototype, "announce", () => Promise.resolve());
      const [database] = databasePrototypes();
      onCalls(database ?? {}, "prepare", () => (statements += 1));
      await part.step({ env, clock, from: null, startedAt: clock.now(), since: 0 });
      // Saving the round is one more.
      expect(statements + 1).toBeLessThanOrEqual(part.cost.statements);
    },
  );
});
