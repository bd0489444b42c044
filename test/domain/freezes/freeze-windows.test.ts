import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { type FreezeTimes, Weekday } from "#contract/endpoints/freezes/freeze-times.ts";
import { freezeWindows, mergeWindows, type Window } from "#domain/freezes/freeze-windows.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const weekly = (
  timezone: string,
  days: readonly Weekday[],
  from: string,
  to: string,
): Extract<FreezeTimes, { type: "weekly" }> => ({ type: "weekly", days: [...days], from, to, timezone });

/** The windows between two days of UTC, as texts without the seconds. */
function windowsOf(times: FreezeTimes, from: string, until: string): string[] {
  const windows = freezeWindows(times, Date.parse(from), Date.parse(until));
  const text = (time: number) => new Date(time).toISOString().slice(0, 16);
  return windows.map((window) => `${text(window.from)} – ${text(window.until)}`);
}

describe("the windows of a freeze", () => {
  it("are once between two instants, also if only a part is asked for", () => {
    const times = { type: "once", from: "2026-12-23T17:00:00.000Z", to: "2027-01-04T07:00:00.000Z" } as const;
    const whole = ["2026-12-23T17:00 – 2027-01-04T07:00"];
    expect(windowsOf(times, "2026-12-24T00:00Z", "2026-12-25T00:00Z")).toEqual(whole);
    expect(windowsOf(times, "2027-01-04T07:00Z", "2027-02-01T00:00Z")).toEqual([]);
    expect(windowsOf(times, "2026-12-01T00:00Z", "2026-12-23T17:00Z")).toEqual([]);
  });

  it("follow the clock of their zone over a change of clocks", () => {
    const evenings = weekly("Europe/Berlin", ["saturday", "sunday"], "16:00", "18:00");
    expect(windowsOf(evenings, "2026-10-24T00:00Z", "2026-10-26T00:00Z")).toEqual([
      "2026-10-24T14:00 – 2026-10-24T16:00",
      "2026-10-25T15:00 – 2026-10-25T17:00",
    ]);
    const halfHours = weekly("Asia/Kolkata", ["monday"], "00:00", "06:00");
    expect(windowsOf(halfHours, "2026-11-22T00:00Z", "2026-11-24T00:00Z")).toEqual([
      "2026-11-22T18:30 – 2026-11-23T00:30",
    ]);
  });

  it("end on the next day if they go over midnight, and take all 24 hours if both times are the same", () => {
    const night = weekly("UTC", ["friday"], "22:00", "06:00");
    expect(windowsOf(night, "2026-11-20T00:00Z", "2026-11-22T00:00Z")).toEqual([
      "2026-11-20T22:00 – 2026-11-21T06:00",
    ]);
    expect(windowsOf(night, "2026-11-21T03:00Z", "2026-11-22T00:00Z")).toEqual([
      "2026-11-21T03:00 – 2026-11-21T06:00",
    ]);
    const weekend = weekly("UTC", ["saturday", "sunday"], "00:00", "00:00");
    expect(windowsOf(weekend, "2026-11-20T00:00Z", "2026-11-25T00:00Z")).toEqual([
      "2026-11-21T00:00 – 2026-11-23T00:00",
    ]);
  });

  it("hold a time that occurs twice both times, and skip a time that does not occur", () => {
    const early = weekly("America/New_York", ["sunday"], "01:15", "01:45");
    expect(windowsOf(early, "2026-11-01T00:00Z", "2026-11-02T00:00Z")).toEqual([
      "2026-11-01T05:15 – 2026-11-01T05:45",
      "2026-11-01T06:15 – 2026-11-01T06:45",
    ]);
    const skipped = weekly("America/New_York", ["sunday"], "02:15", "02:45");
    expect(windowsOf(skipped, "2026-03-08T00:00Z", "2026-03-09T00:00Z")).toEqual([]);
    // Its clocks change by half an hour, from 02:00 to 02:30.
    const lordHowe = weekly("Australia/Lord_Howe", ["sunday"], "01:45", "02:45");
    expect(windowsOf(lordHowe, "2026-10-03T00:00Z", "2026-10-05T00:00Z")).toEqual([
      "2026-10-03T15:15 – 2026-10-03T15:45",
    ]);
  });

  const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"];
  const timeOfDay = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"));
  const anyWeekly = fc
    .tuple(
      fc.constantFrom(...zones),
      fc.uniqueArray(fc.constantFrom(...Weekday.options), { minLength: 1, maxLength: 7 }),
      timeOfDay,
      timeOfDay,
    )
    .map(([zone, days, from, to]) => weekly(zone, days, from, to));
  /** Near the changes of clocks of these zones, and anywhere. */
  const someTime = fc.oneof(
    fc
      .tuple(
        fc.constantFrom("2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25", "2026-11-01"),
        fc.integer({ min: -36 * 60, max: 60 * 60 }),
      )
      .map(([day, minutes]) => Date.parse(day) + minutes * MINUTE_MS),
    fc.integer({ min: Date.parse("2026-01-01"), max: Date.parse("2030-01-01") }),
  );

  it("hold at exactly the times that a clock in their zone shows", () => {
    fc.assert(
      fc.property(anyWeekly, someTime, (times, time) => {
        const windows = freezeWindows(times, time, time + DAY_MS);
        const isHeld = windows.some(({ from, until }) => from <= time && time < until);
        expect(isHeld).toBe(showsFrozenTime(times, time));
      }),
      { numRuns: 500 },
    );
  });

  it("neither overlap nor touch, and do not depend on where the question begins", () => {
    fc.assert(
      fc.property(anyWeekly, someTime, fc.integer({ min: 1, max: 20 * DAY_MS }), (times, from, ms) => {
        const all = freezeWindows(times, from, from + 20 * DAY_MS);
        expectApart(all);
        const later = freezeWindows(times, from + ms, from + 20 * DAY_MS);
        const cut = all
          .filter(({ until }) => until > from + ms)
          .map((window) => ({ ...window, from: Math.max(window.from, from + ms) }));
        expect(later).toEqual(cut);
      }),
      { numRuns: 300 },
    );
  });

  it("are merged without a time that is lost or added", () => {
    const window = fc
      .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 20 }))
      .map(([from, length]) => ({ from, until: from + length }));
    fc.assert(
      fc.property(fc.array(window), (windows) => {
        const merged = mergeWindows(windows);
        expectApart(merged);
        for (let time = 0; time < 90; time += 1) expect(isIn(merged, time)).toBe(isIn(windows, time));
      }),
    );
  });
});

const isIn = (windows: readonly Window[], time: number) =>
  windows.some(({ from, until }) => from <= time && time < until);

function expectApart(windows: readonly Window[]): void {
  for (const [at, { from, until }] of windows.entries()) {
    expect(from).toBeLessThan(until);
    if (at > 0) expect(windows[at - 1]?.until).toBeLessThan(from);
  }
}

/** Whether a freeze holds, from the time that `Intl` shows in its zone. */
function showsFrozenTime(times: Extract<FreezeTimes, { type: "weekly" }>, time: number): boolean {
  const { days, from, to, timezone } = times;
  const format = new Intl.DateTimeFormat("en-GB", {
    ...{ timeZone: timezone, weekday: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  });
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const clock = `${parts.get("hour")}:${parts.get("minute")}`;
  const today = Weekday.parse(parts.get("weekday")?.toLowerCase());
  const order = Weekday.options;
  const yesterday = order[(order.indexOf(today) + 6) % 7] ?? today;
  if (to > from) return days.includes(today) && from <= clock && clock < to;
  return (days.includes(today) && from <= clock) || (days.includes(yesterday) && clock < to);
}
