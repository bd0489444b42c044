import { Cron } from "croner";
import fc from "fast-check";
import { expect, it } from "vitest";

import { readTimes } from "#project-files/cron/find-cron-problem.ts";
import { lastRun, nextRun } from "#project-files/cron/run-times.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Clock changes, forward and back. */
const changes = [
  ["Europe/Berlin", "2026-03-29T01:00Z"],
  ["Europe/Berlin", "2026-10-25T01:00Z"],
  ["America/New_York", "2026-03-08T07:00Z"],
  ["America/New_York", "2026-11-01T06:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T15:30Z"],
  ["Australia/Lord_Howe", "2026-04-04T15:00Z"],
  ["Asia/Kolkata", "2026-06-01T00:00Z"],
] as const;

const values = (most: number) =>
  fc
    .uniqueArray(fc.integer({ min: 0, max: most }), { minLength: 1, maxLength: 3 })
    .map((all) => all.toSorted((a, b) => a - b).join(","));
/** With hours and a step in its minutes, a job is at fixed times for us, and not for croner. */
const time = fc.oneof(
  fc.tuple(fc.constantFrom("*", "*/7", "10-50/20", "0"), fc.constantFrom("*", "*/2")),
  fc.tuple(values(59), fc.oneof(values(4), values(23))),
);
const day = fc.constantFrom("* * *", "1-15 * *", "* * 0", "29 2,3 *", "8 * 1");

it("the runs of a schedule around a clock change are those of croner, an independent implementation", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...changes),
      ...([time, day, fc.integer({ min: -2 * 24 * 60, max: 2 * 24 * 60 })] as const),
      ([timezone, change], [minutes, hours], days, minutesAfter) => {
        const schedule = `${minutes} ${hours} ${days}`;
        const after = Date.parse(change) + minutesAfter * MINUTE;
        const read = readTimes({ schedule, timezone });
        if (!read.ok) throw new Error(read.reason);
        const croner = new Cron(schedule, { timezone, paused: true, fixedTimeRule: "no-wildcard" });
        const next = croner.nextRun(new Date(after))?.getTime() ?? null;
        expect(nextRun(read.value.schedule, read.value.zone, after)).toBe(next);
        if (next === null || next > after + 30 * DAY) return;
        expect(lastRun(read.value.schedule, read.value.zone, after, next)).not.toBeNull();
      },
    ),
    { numRuns: 500 },
  );
});
