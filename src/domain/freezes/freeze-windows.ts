import { periods } from "#project-files/cron/run-times.ts";
import { timeZone, type TimeZone, utc } from "#project-files/cron/time-zone.ts";
import type { FreezeTimes, Weekday } from "#contract/endpoints/freezes/freeze-times.ts";

/** From an instant until before another, in Unix milliseconds. */
export type Window = { readonly from: number; readonly until: number };

/** How far ahead freezes are looked at: one that never ends counts until then. */
export const HORIZON_MS = 35 * 24 * 60 * 60_000;

const MINUTE_MS = 60_000;
const DAY = 24 * 60;

/**
 * When a freeze holds between two instants: windows in order that neither overlap nor touch. Those of a weekly freeze are
 * cut off at `from` and `until`. A weekly freeze holds whenever a clock in its time zone shows one of its times, so a time
 * that a clock change repeats is frozen twice, and one that it skips is not.
 */
export function freezeWindows(times: FreezeTimes, from: number, until: number): Window[] {
  switch (times.type) {
    case "once": {
      const window = { from: Date.parse(times.from), until: Date.parse(times.to) };
      return window.from < until && window.until > from ? [window] : [];
    }
    case "weekly": {
      // A runtime that no longer knows the zone must not end the freeze.
      const zone = timeZone(times.timezone) ?? utc;
      const [first, last] = [Math.floor(from / MINUTE_MS), Math.ceil(until / MINUTE_MS)];
      const found = [...weeklyMinutes(times, zone, first, last)].map((window) => ({
        from: Math.max(window.from * MINUTE_MS, from),
        until: Math.min(window.until * MINUTE_MS, until),
      }));
      return mergeWindows(found.filter((window) => window.from < window.until));
    }
  }
}

/** The same times in order, as windows that neither overlap nor touch. */
export function mergeWindows(windows: readonly Window[]): Window[] {
  const merged: Window[] = [];
  for (const window of windows.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && window.from <= last.until)
      merged[merged.length - 1] = { from: last.from, until: Math.max(last.until, window.until) };
    else merged.push(window);
  }
  return merged;
}

type Weekly = Extract<FreezeTimes, { type: "weekly" }>;

/** Windows in whole minutes since 1970, in UTC. */
function* weeklyMinutes(times: Weekly, zone: TimeZone, from: number, to: number): Generator<Window> {
  const opens = minuteOfDay(times.from);
  const closes = minuteOfDay(times.to);
  const length = closes > opens ? closes - opens : closes - opens + DAY;
  for (const { start, end, offset } of periods(zone, from, to)) {
    // The window of the day before can reach into this period.
    for (let day = Math.floor((start + offset) / DAY) - 1; day * DAY < end + offset; day += 1) {
      if (!times.days.includes(weekdayOf(day))) continue;
      const opensAt = day * DAY + opens - offset;
      const window = { from: Math.max(opensAt, start), until: Math.min(opensAt + length, end) };
      if (window.from < window.until) yield window;
    }
  }
}

function minuteOfDay(time: string): number {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  return hour * 60 + minute;
}

const weekdays = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
] as const satisfies readonly Weekday[];

/** @param day days since 1970 */
function weekdayOf(day: number): Weekday {
  return weekdays[new Date(day * DAY * MINUTE_MS).getUTCDay()] ?? "sunday";
}
