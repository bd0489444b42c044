import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { ServerStatus } from "#contract/endpoints/servers/schemas.ts";
import { NO_STATUS, noteStatus, statusEventAt, type StatusRecord } from "#domain/server-status.ts";

/** The events of a server that has these statuses at these times. */
function eventsOf(course: readonly (readonly [seconds: number, status: ServerStatus])[]): string[] {
  let record: StatusRecord = NO_STATUS;
  return course.flatMap(([seconds, status]) => {
    const noted = noteStatus(record, status, seconds * 1000);
    ({ record } = noted);
    return noted.event === null ? [] : [`${noted.event} at ${seconds}`];
  });
}

describe("the events of a server's status", () => {
  it("begin with its first connection, and tell each change once", () => {
    const course = [
      [0, "pending"],
      [5, "healthy"],
      [6, "healthy"],
      [9, "degraded"],
      [12, "healthy"],
      [311, "healthy"],
      [312, "healthy"],
    ] as const;
    expect(eventsOf(course)).toEqual(["healthy at 5", "degraded at 9", "healthy at 312"]);
  });

  it("tell once that it is degraded while it flaps, and that it is healthy when it has been for five minutes", () => {
    const flaps = Array.from({ length: 40 }, (_, at) => [
      [10 + at * 60, "degraded"] as const,
      [40 + at * 60, "healthy"] as const,
    ]).flat();
    expect(eventsOf([[0, "healthy"], ...flaps, [2679, "healthy"], [2680, "healthy"]])).toEqual([
      "healthy at 0",
      "degraded at 10",
      "healthy at 2680",
    ]);
  });

  it("count the five minutes from when a degraded server is connected again", () => {
    const course = [
      [0, "degraded"],
      [10, "healthy"],
      [200, "offline"],
      [210, "healthy"],
      [310, "healthy"],
      [510, "healthy"],
    ] as const;
    expect(eventsOf(course)).toEqual(["degraded at 0", "healthy at 510"]);
  });

  it("tell that it is offline when it has been for a minute, and nothing if it is back before", () => {
    const course = [
      [0, "healthy"],
      [10, "offline"],
      [69, "offline"],
      [69.5, "healthy"],
      [100, "offline"],
      [160, "offline"],
      [900, "offline"],
      [901, "degraded"],
    ] as const;
    expect(eventsOf(course)).toEqual(["healthy at 0", "offline at 160", "degraded at 901"]);
  });

  it("never tell the same twice in a row, and tell the status that lasts", () => {
    const status = fc.constantFrom<ServerStatus>("healthy", "degraded", "offline");
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(90_000), status)), (steps) => {
        let record: StatusRecord = NO_STATUS;
        let now = 0;
        const told: string[] = [];
        for (const [ms, next] of steps) {
          now += ms;
          const noted = noteStatus(record, next, now);
          ({ record } = noted);
          if (noted.event !== null) told.push(noted.event);
        }
        expect(told.some((one, at) => one === told[at - 1])).toBe(false);
        const last = steps.at(-1)?.[1];
        const dueAt = statusEventAt(record);
        expect(dueAt !== null).toBe(last !== undefined && record.reported !== last);
        if (last === undefined) return;
        const settled = noteStatus(record, last, dueAt ?? now);
        expect(settled.record.reported).toBe(last);
      }),
    );
  });
});
