import { type FreezeTimes, Weekday } from "#contract/endpoints/freezes/freeze-times.ts";
import type { Freeze } from "#contract/endpoints/freezes/schemas.ts";
import { minuteText } from "#dashboard/text/times.ts";

export const weekdayLabels: Record<Weekday, string> = {
  monday: "Monday",
  tuesday: "Tuesday",
  wednesday: "Wednesday",
  thursday: "Thursday",
  friday: "Friday",
  saturday: "Saturday",
  sunday: "Sunday",
};

/** When a freeze holds, such as `Friday 16:00 to 08:00 of the next day, Europe/Berlin`. */
export function freezeTimesText(times: FreezeTimes): string {
  if (times.type === "once") return `${minuteText(times.from)} to ${minuteText(times.to)}`;
  const { days, from, to, timezone } = times;
  // In the order of the week, whichever was chosen first.
  const named = Weekday.options.filter((day) => days.includes(day)).map((day) => weekdayLabels[day]);
  const when = named.length === Weekday.options.length ? "Every day" : named.join(", ");
  return `${when} ${from} to ${to}${to <= from ? " of the next day" : ""}, ${timezone}`;
}

/** Whether a freeze holds now, will hold, or is over. The class is as of a deployment's status. */
export function freezeState({ active, window }: Freeze): { readonly label: string; readonly class: string } {
  if (active) return { label: "Holds now", class: "degraded" };
  return window === null ? { label: "Over", class: "canceled" } : { label: "Planned", class: "pending" };
}
