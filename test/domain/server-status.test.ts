import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { ServerStatus } from "#contract/endpoints/servers/schemas.ts";
import { noteStatus, OFFLINE_AFTER_MS, offlineEventAt, type StatusRecord } from "#domain/server-status.ts";

/** The events of a server that has these statuses at these times. */
function eventsOf(course: readonly (readonly [seconds: number, status: ServerStatus])[]): string[] {
  let record: StatusRecord = { reported: null, awaySince: null };
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
    ] as const;
    expect(eventsOf(course)).toEqual(["healthy at 5", "degraded at 9", "healthy at 12"]);
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
        let record: StatusRecord = { reported: null, awaySince: null };
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
        const dueAt = offlineEventAt(record);
        expect(dueAt !== null).toBe(last === "offline" && record.reported !== "offline");
        if (last === undefined) return;
        const settled = noteStatus(record, last, now + OFFLINE_AFTER_MS);
        expect(settled.record.reported).toBe(last);
      }),
    );
  });
});
