import type { FreezeTimes } from "#contract/endpoints/freezes/freeze-times.ts";

/** `friday, saturday 16:00–00:00 Europe/Berlin`, or the two instants. */
export function freezeTimesText(times: FreezeTimes): string {
  switch (times.type) {
    case "once":
      return `${times.from} – ${times.to}`;
    case "weekly":
      return `${times.days.join(", ")} ${times.from}–${times.to} ${times.timezone}`;
  }
}
