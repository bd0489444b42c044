import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { decideRun } from "#agent/jobs/cron/decide-run.ts";
import { readTimes } from "#project-files/cron/find-cron-problem.ts";
import { lastRun } from "#project-files/cron/run-times.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"];
const schedules = ["30 2 * * *", "*/30 * * * *", "* * * * *", "15 1-3 * * *", "0 0 1 * *"];

function timesOf(schedule: string, timezone: string) {
  const read = readTimes({ schedule, timezone });
  if (!read.ok) throw new Error(read.reason);
  return read.value;
}

describe("the decision to run a job", () => {
  it("runs it once for all times since the last check, however long ago that was", () => {
    const start = fc.integer({ min: 0, max: 365 * 24 }).map((hours) => Date.UTC(2026, 0, 1) + hours * HOUR);
    const pauses = fc.array(
      fc.oneof(fc.integer({ min: 1, max: 90_000 }), fc.integer({ min: 1, max: 40 * 24 * HOUR })),
      {
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom(...schedules),
        start,
        pauses,
        (zone, schedule, since, given) => {
          const times = timesOf(schedule, zone);
          const ran: number[] = [];
          let handled = since;
          let now = since;
          for (const pause of given) {
            const before = now;
            now += pause;
            const { due, isLate, handled: next } = decideRun(times, handled, now);
            expect(due).toBe(lastRun(times.schedule, times.zone, before, now));
            if (due !== null) ran.push(due);
            expect(isLate).toBe(due !== null && now - due > 2 * MINUTE);
            handled = next;
          }
          expect(new Set(ran).size).toBe(ran.length);
          expect(ran.every((time) => time > since)).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("does not search a period again in which no run was due", () => {
    const times = timesOf("0 0 1 1 *", "Europe/Berlin");
    const now = Date.parse("2026-11-20T10:00Z");
    expect(decideRun(times, Date.parse("2026-01-02T00:00Z"), now)).toEqual({
      ...{ handled: now, due: null, isLate: false },
    });
  });

  it("waits when the clock was put back by up to three hours, and follows the clock when it was more", () => {
    const times = timesOf("*/10 * * * *", "UTC");
    const handled = Date.parse("2026-11-20T10:00Z");
    for (const minutes of [1, 30, 179]) {
      const now = handled - minutes * MINUTE;
      expect(decideRun(times, handled, now)).toEqual({ handled, due: null, isLate: false });
    }
    const now = handled - 181 * MINUTE;
    expect(decideRun(times, handled, now)).toEqual({ handled: now, due: null, isLate: false });
    expect(decideRun(times, now, now + 10 * MINUTE)).toMatchObject({ due: Date.parse("2026-11-20T07:00Z") });
  });
});
