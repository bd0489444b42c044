const MINUTE_MS = 60_000;

/** Relates local time in a zone to UTC. Times are whole minutes since 1970. */
export type TimeZone = {
  /** The minutes by which local time is ahead of UTC at this time. */
  offsetAt(minute: number): number;
};

/** The zone that is never ahead or behind. */
export const utc: TimeZone = { offsetAt: () => 0 };

/** @returns `null` for a zone that this machine does not know */
export function timeZone(name: string): TimeZone | null {
  if (name === "UTC") return utc;
  try {
    const formatter = new Intl.DateTimeFormat("en-US", {
      ...{ timeZone: name, hourCycle: "h23" },
      ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" },
    });
    return {
      offsetAt(minute) {
        const text = formatter.format(minute * MINUTE_MS);
        const [month = 0, day = 0, year = 0, hour = 0, minutes = 0] = text.split(/\D+/).map(Number);
        return Date.UTC(year, month - 1, day, hour, minutes) / MINUTE_MS - minute;
      },
    };
  } catch {
    return null;
  }
}
