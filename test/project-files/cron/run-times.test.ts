import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readTimes } from "#project-files/cron/find-cron-problem.ts";
import { lastRun, nextRun } from "#project-files/cron/run-times.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"];

function timesOf(schedule: string, timezone: string) {
  const read = readTimes({ schedule, timezone });
  if (!read.ok) throw new Error(read.reason);
  return read.value;
}

/** All runs after `from` and until `until`. */
function runsBetween(schedule: string, timezone: string, from: string | number, until: string | number) {
  const { schedule: parsed, zone } = timesOf(schedule, timezone);
  const end = new Date(until).getTime();
  const runs: number[] = [];
  for (let at = new Date(from).getTime(); ;) {
    const next = nextRun(parsed, zone, at);
    if (next === null || next > end) return runs;
    runs.push((at = next));
  }
}

const shown = (runs: readonly number[]) => runs.map((run) => new Date(run).toISOString().slice(0, 16));

describe("the runs of a schedule", () => {
  it("follow the local time of its zone", () => {
    expect(
      shown(runsBetween("0 9 * * 1-5", "Asia/Kolkata", "2026-11-19T00:00Z", "2026-11-23T12:00Z")),
    ).toEqual(["2026-11-19T03:30", "2026-11-20T03:30", "2026-11-23T03:30"]);
  });

  it("are at the days of the month and at the weekdays, if both are given", () => {
    expect(shown(runsBetween("0 0 13 * fri", "UTC", "2026-11-05T00:00Z", "2026-11-15T00:00Z"))).toEqual([
      "2026-11-06T00:00",
      "2026-11-13T00:00",
    ]);
  });

  it("can be years apart", () => {
    const { schedule, zone } = timesOf("0 0 29 2 *", "UTC");
    expect(nextRun(schedule, zone, Date.parse("2096-03-01T00:00Z"))).toBe(Date.parse("2104-02-29T00:00Z"));
  });
});

describe("when the clock is put forward", () => {
  it.each([
    ["30 2 * * *", "Europe/Berlin", "2026-03-28T22:00Z", "2026-03-29T22:00Z", ["2026-03-29T01:00"]],
    ["30 2 * * *", "America/New_York", "2026-03-08T04:00Z", "2026-03-09T04:00Z", ["2026-03-08T07:00"]],
    ["15 2 * * *", "Australia/Lord_Howe", "2026-10-03T13:00Z", "2026-10-04T13:00Z", ["2026-10-03T15:30"]],
    // Two times that both do not exist are one run, and so are one of them and the first time after the change.
    ["10,40 2 * * *", "Europe/Berlin", "2026-03-28T22:00Z", "2026-03-29T22:00Z", ["2026-03-29T01:00"]],
    ["0 2,3 * * *", "Europe/Berlin", "2026-03-28T22:00Z", "2026-03-29T22:00Z", ["2026-03-29T01:00"]],
  ])("%s in %s runs once, right after the change", (schedule, zone, from, until, runs) => {
    expect(shown(runsBetween(schedule, zone, from, until))).toEqual(runs);
  });
});

describe("when the clock is put back", () => {
  it.each([
    ["30 2 * * *", "Europe/Berlin", "2026-10-24T22:00Z", "2026-10-25T22:00Z", ["2026-10-25T00:30"]],
    ["30 1 * * *", "America/New_York", "2026-11-01T04:00Z", "2026-11-02T04:00Z", ["2026-11-01T05:30"]],
    ["45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00Z", "2026-04-05T12:00Z", ["2026-04-04T14:45"]],
  ])("%s in %s runs once, the first time", (schedule, zone, from, until, runs) => {
    expect(shown(runsBetween(schedule, zone, from, until))).toEqual(runs);
  });
});

describe("in every zone, over every change of the clock", () => {
  const zone = fc.constantFrom(...zones);
  const day = fc.integer({ min: 0, max: 6 * 365 }).map((days) => Date.UTC(2025, 0, 1) + days * DAY);
  const minute = fc.integer({ min: 0, max: 59 });
  const hour = fc.integer({ min: 0, max: 23 });

  it("a time of the day runs once on each local date", () => {
    fc.assert(
      fc.property(zone, day, hour, minute, (timezone, from, hours, minutes) => {
        const runs = runsBetween(`${minutes} ${hours} * * *`, timezone, from, from + 10 * DAY);
        const dates = runs.map((run) => new Intl.DateTimeFormat("en-CA", { timeZone: timezone }).format(run));
        expect(new Set(dates).size).toBe(runs.length);
        for (const [at, run] of runs.entries()) {
          const gap = run - (runs[at - 1] ?? run - DAY);
          expect(gap).toBeGreaterThanOrEqual(23 * HOUR);
          expect(gap).toBeLessThanOrEqual(25 * HOUR);
        }
        expect(runs.length).toBeGreaterThanOrEqual(9);
      }),
    );
  });

  it("every half hour runs on through", () => {
    fc.assert(
      fc.property(zone, day, (timezone, from) => {
        const runs = runsBetween("*/30 * * * *", timezone, from, from + 3 * DAY);
        expect(runs).toEqual(Array.from({ length: 144 }, (_, at) => from + (at + 1) * (HOUR / 2)));
      }),
    );
  });

  it("the last run until a time is the one that all next runs lead to", () => {
    const schedule = fc.constantFrom(
      "30 2 * * *",
      "*/7 * * * *",
      "0 3 1 * *",
      "15 1-3 * * sun",
      "0 */5 * * *",
    );
    fc.assert(
      fc.property(zone, schedule, day, fc.nat({ max: 20 * 24 }), (timezone, text, from, hours) => {
        const { schedule: parsed, zone: own } = timesOf(text, timezone);
        const until = from + hours * HOUR;
        const runs = runsBetween(text, timezone, from, until);
        expect(lastRun(parsed, own, from, until)).toBe(runs.at(-1) ?? null);
      }),
      { numRuns: 30 },
    );
  });
});
