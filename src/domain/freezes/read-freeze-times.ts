import { timeZone } from "#project-files/cron/time-zone.ts";
import type { FreezeTimes } from "#contract/endpoints/freezes/freeze-times.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** A mistake in the times of a freeze. `message`: after the name of the field. */
export type TimesProblem = { readonly field: "from" | "to" | "timezone"; readonly message: string };

/**
 * Checks what the schema of a freeze's times does not. Instants stay as they were written, so that a program that keeps a
 * freeze as a file describes it reads what it has sent.
 * @param now Unix milliseconds: a freeze that is over is refused
 */
export function readFreezeTimes(times: FreezeTimes, now: number): ResultOf<FreezeTimes, TimesProblem> {
  switch (times.type) {
    case "once": {
      const [from, to] = [instantOf(times.from), instantOf(times.to)];
      const message = "must be a time with its offset, such as 2026-12-24T18:00:00Z";
      if (from === null) return { ok: false, field: "from", message };
      if (to === null) return { ok: false, field: "to", message };
      if (to <= from) return { ok: false, field: "to", message: "must be after `from`" };
      if (to <= now) return { ok: false, field: "to", message: "must be in the future" };
      return succeed(times);
    }
    case "weekly": {
      if (timeZone(times.timezone) !== null) return succeed({ ...times, days: [...new Set(times.days)] });
      const message = `is not a known time zone, such as Europe/Berlin: ${times.timezone}`;
      return { ok: false, field: "timezone", message };
    }
  }
}

/** @returns Unix milliseconds; null for a text that is not an instant */
function instantOf(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(text)) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}
