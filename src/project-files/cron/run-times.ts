import type { Schedule } from "#project-files/cron/parse-schedule.ts";
import type { TimeZone } from "#project-files/cron/time-zone.ts";

// Inside, times are whole minutes since 1970: UTC, or local time as if it were UTC.
const MINUTE_MS = 60_000;
const DAY = 24 * 60;
const WEEK = 7 * DAY;
/** The longest time between two runs: from 29 February 2096 to that of 2104, and a little more. */
const LONGEST = 9 * 366 * DAY;

/** The first time after `after` at which a job runs, both in Unix milliseconds; `null` if there is none. */
export function nextRun(schedule: Schedule, zone: TimeZone, after: number): number | null {
  const from = Math.floor(after / MINUTE_MS) + 1;
  for (const time of runTimes(schedule, zone, from, from + LONGEST)) return time * MINUTE_MS;
  return null;
}

/** The last time after `after` and until `until` at which a job runs, in Unix milliseconds; `null` if there is none. */
export function lastRun(schedule: Schedule, zone: TimeZone, after: number, until: number): number | null {
  const least = Math.floor(after / MINUTE_MS) + 1;
  const end = Math.floor(until / MINUTE_MS) + 1;
  // Backwards in growing steps, because the server may have been off for long.
  for (let span = 60, to = end; to > least; to -= span, span *= 8) {
    const [last] = [...runTimes(schedule, zone, Math.max(least, to - span), to)].slice(-1);
    if (last !== undefined) return last * MINUTE_MS;
  }
  return null;
}

/**
 * The times from `from` until before `to`. A schedule with fixed hours has each of its local times once: one that a clock
 * change skips runs right after the change, and one that occurs twice runs the first time. Others follow the local time.
 */
function* runTimes(schedule: Schedule, zone: TimeZone, from: number, to: number): Generator<number> {
  // A clock change before `from` may have skipped or repeated times after it.
  for (const { start, end, offset, shift } of periods(zone, from - 2 * DAY, to)) {
    let first = start + offset;
    if (schedule.hasFixedHours && shift > 0)
      for (const _ of localTimes(schedule, first - shift, first)) {
        if (start >= from) yield start;
        first += 1;
        break;
      }
    if (schedule.hasFixedHours && shift < 0) first -= shift;
    for (const local of localTimes(schedule, Math.max(first, from + offset), end + offset))
      yield local - offset;
  }
}

/** A time without a clock change. `shift`: by how many minutes the clock was changed at its start. */
export type Period = {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
  readonly shift: number;
};

/** The times without a clock change from `from` until before `to`, in order. Times are whole minutes since 1970. */
export function* periods(zone: TimeZone, from: number, to: number): Generator<Period> {
  let before = zone.offsetAt(from);
  for (let start = from; start < to;) {
    const offset = zone.offsetAt(start);
    let end = Math.min(start + WEEK, to);
    if (zone.offsetAt(end) !== offset) {
      let last = start;
      while (end - last > 1) {
        const middle = Math.floor((last + end) / 2);
        if (zone.offsetAt(middle) === offset) last = middle;
        else end = middle;
      }
    }
    yield { start, end, offset, shift: offset - before };
    before = offset;
    start = end;
  }
}

/** The local times that match a schedule, from `from` until before `to`. */
function* localTimes(schedule: Schedule, from: number, to: number): Generator<number> {
  for (let day = Math.floor(from / DAY); day * DAY < to; day += 1) {
    if (!hasDay(schedule, day)) continue;
    for (let hour = 0; hour < 24; hour += 1) {
      if (!schedule.hours.has(hour)) continue;
      for (let minute = 0; minute < 60; minute += 1) {
        const time = day * DAY + hour * 60 + minute;
        if (schedule.minutes.has(minute) && time >= from && time < to) yield time;
      }
    }
  }
}

function hasDay({ days, months, weekdays, isEitherDay }: Schedule, day: number): boolean {
  const date = new Date(day * DAY * MINUTE_MS);
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const hasDate = days.has(date.getUTCDate());
  const hasWeekday = weekdays.has(date.getUTCDay());
  return isEitherDay ? hasDate || hasWeekday : hasDate && hasWeekday;
}
