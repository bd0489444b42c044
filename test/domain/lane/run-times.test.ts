import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { runStages } from "#contract/stages.ts";
import { runTimes } from "#domain/lane/run-times.ts";

const inMs = (stages: readonly { readonly duration: number }[]) =>
  stages.reduce((sum, { duration }) => sum + Math.round(duration * 1000), 0);

const moments = fc
  .tuple(fc.nat(10_000), fc.nat(10_000), fc.nat(10_000))
  .map(([created, untilStart, untilEnd]) => ({
    createdAt: created,
    startedAt: created + untilStart,
    finishedAt: created + untilStart + untilEnd,
  }));
const stages = fc.array(
  fc.record({
    stage: fc.constantFrom(...runStages),
    duration: fc.double({ min: 0, max: 20, noNaN: true }),
  }),
  { maxLength: 14 },
);

describe("the times of a run that has ended", () => {
  it("are its stages within its duration, whatever an agent reports", () => {
    fc.assert(
      fc.property(moments, stages, (ended, reported) => {
        const times = runTimes(ended, reported);
        expect(inMs(times.stages)).toBeLessThanOrEqual(ended.finishedAt - times.startedAt);
        expect(times.startedAt).toBeGreaterThanOrEqual(ended.createdAt);
        expect(times.startedAt).toBeLessThanOrEqual(ended.startedAt);
        expect(times.stages.map(({ stage }) => stage)).toEqual(reported.map(({ stage }) => stage));
      }),
    );
  });

  it("come from the agent if there was time to measure them, also before its first report", () => {
    const ended = { createdAt: 1000, startedAt: 1400, finishedAt: 1500 };
    const reported = [
      { stage: "fetch", duration: 0.2 },
      { stage: "build", duration: 0.1 },
    ] as const;
    expect(runTimes(ended, reported)).toEqual({ startedAt: 1200, stages: reported });
    expect(runTimes({ ...ended, startedAt: 1100 }, reported).startedAt).toBe(1100);
  });

  it("are cut where the agent's clock runs too fast", () => {
    const reported = [
      { stage: "fetch", duration: 0.4 },
      { stage: "build", duration: 9 },
      { stage: "activate", duration: 1 },
    ] as const;
    expect(runTimes({ createdAt: 1000, startedAt: 1400, finishedAt: 1500 }, reported)).toEqual({
      startedAt: 1000,
      stages: [
        { stage: "fetch", duration: 0.4 },
        { stage: "build", duration: 0.1 },
        { stage: "activate", duration: 0 },
      ],
    });
  });
});
