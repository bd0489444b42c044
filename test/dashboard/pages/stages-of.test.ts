import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { StageTime } from "#contract/endpoints/deployments/schemas.ts";
import { LogStage } from "#contract/endpoints/logs/schemas.ts";
import { stagesOf } from "#dashboard/pages/deployment/stages-of.ts";

const AT = Date.parse("2026-11-20T09:14:00.000Z");
const iso = (seconds: number) => new Date(AT + seconds * 1000).toISOString();
const log = (isComplete: boolean, seconds: Partial<Record<LogStage, number>>) => {
  const times = new Map<LogStage, number>();
  for (const stage of LogStage.options) {
    const at = seconds[stage];
    if (at !== undefined) times.set(stage, AT + at * 1000);
  }
  return { times, isComplete };
};
const base = {
  stage: null,
  failure: null,
  stages: [],
  created_at: iso(0),
  started_at: iso(1),
  finished_at: iso(10),
};
const shown = (...from: Parameters<typeof stagesOf>) =>
  stagesOf(...from).map(({ stage, state, seconds }) => [stage, state, seconds]);

describe("the stages of a deployment", () => {
  it("last from their first line to the first line of the next", () => {
    const lines = log(true, { queued: 0, fetch: 1, build: 3, activate: 8, verify: 9 });
    expect(shown({ ...base, status: "live" }, lines, AT)).toEqual([
      ["queued", "done", 1],
      ["fetch", "done", 2],
      ["build", "done", 5],
      ["activate", "done", 1],
      ["verify", "done", 1],
    ]);
  });

  it("include the installation if the deployment installed something", () => {
    const lines = log(true, { queued: 0, fetch: 1, install: 3, build: 5, activate: 8, verify: 9 });
    expect(shown({ ...base, status: "live" }, lines, AT).slice(1, 4)).toEqual([
      ["fetch", "done", 2],
      ["install", "done", 2],
      ["build", "done", 3],
    ]);
  });

  it("are skipped if they did not run, as in an instant rollback", () => {
    const lines = log(true, { queued: 0, activate: 2, verify: 3 });
    expect(shown({ ...base, status: "live" }, lines, AT).map(([, state]) => state)).toEqual([
      "done",
      "skipped",
      "skipped",
      "done",
      "done",
    ]);
  });

  it("are open, and the last one without a duration, until the log is loaded", () => {
    const lines = log(false, { queued: 0, fetch: 1, build: 3 });
    expect(shown({ ...base, status: "live" }, lines, AT)).toEqual([
      ["queued", "done", 1],
      ["fetch", "done", 2],
      ["build", "done", null],
      ["activate", "open", null],
      ["verify", "open", null],
    ]);
  });

  it("last until now while the deployment runs", () => {
    const lines = log(false, { queued: 0, fetch: 1, build: 3 });
    const running = { ...base, status: "building", stage: "build", finished_at: null } as const;
    expect(shown(running, lines, AT + 7_000)).toEqual([
      ["queued", "done", 1],
      ["fetch", "done", 2],
      ["build", "current", 4],
      ["activate", "open", null],
      ["verify", "open", null],
    ]);
  });

  it("last as long as the agent measured, as soon as the deployment has ended", () => {
    const stages: StageTime[] = [
      { stage: "fetch", duration: 0.75 },
      { stage: "build", duration: 2.5 },
      { stage: "fetch", duration: 0.25 },
    ];
    const ended = { ...base, status: "live", stages } as const;
    expect(shown(ended, log(false, { fetch: 40 }), AT)).toEqual([
      ["queued", "done", 1],
      ["fetch", "done", 1],
      ["build", "done", 2.5],
      ["activate", "open", null],
      ["verify", "open", null],
    ]);
  });

  it("never last longer together than the run so far, whatever the server's clock says", () => {
    const second = fc.integer({ min: -100, max: 100 });
    const lines = fc.record(
      { fetch: second, install: second, build: second, release: second, start: second, activate: second },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(lines, fc.boolean(), fc.integer({ min: 0, max: 60 }), (times, isRunning, lasts) => {
        const finished_at = isRunning ? null : iso(1 + lasts);
        const status = isRunning ? "building" : "failed";
        const all = stagesOf({ ...base, status, finished_at }, log(true, times), AT + (1 + lasts) * 1000);
        const [, ...ofRun] = all.map(({ seconds }) => seconds ?? 0);
        expect(ofRun.reduce((sum, seconds) => sum + seconds, 0)).toBeLessThanOrEqual(lasts);
      }),
    );
  });

  it("are skipped after the failed stage", () => {
    const failure = { code: "build_failed", message: "it ended with exit code 2", stage: "build" } as const;
    const lines = log(true, { queued: 0, fetch: 1, build: 3 });
    expect(shown({ ...base, status: "failed", failure }, lines, AT).slice(2)).toEqual([
      ["build", "failed", 7],
      ["activate", "skipped", null],
      ["verify", "skipped", null],
    ]);
  });
});
