const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** The time since or until a date, such as `3 min ago` or `in 2 h`. @param now Unix milliseconds */
export function agoText(iso: string, now: number): string {
  const seconds = Math.round((now - Date.parse(iso)) / 1000);
  // The server's clock may be a little ahead of this one.
  if (Math.abs(seconds) < 5) return "just now";
  return seconds > 0 ? `${spanText(seconds)} ago` : `in ${spanText(nearestDay(-seconds))}`;
}

/** What expires in 7 days says so also a second later. */
function nearestDay(seconds: number): number {
  return seconds < 0.99 * DAY_S ? seconds : Math.round(seconds / DAY_S) * DAY_S;
}

/** A time in its largest unit: `40 s`, `3 min`, `2 h`, `5 days`. */
export function spanText(seconds: number): string {
  if (seconds < MINUTE_S) return `${seconds} s`;
  if (seconds < HOUR_S) return `${Math.floor(seconds / MINUTE_S)} min`;
  if (seconds < DAY_S) return `${Math.floor(seconds / HOUR_S)} h`;
  const days = Math.floor(seconds / DAY_S);
  return days === 1 ? "1 day" : `${days} days`;
}

/** Created once: that takes longer than rendering a row. */
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** The date and time, in the browser's time zone and locale. */
export function dateText(iso: string): string {
  return dates.format(Date.parse(iso));
}

const minutes = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** The same without seconds. */
export function minuteText(iso: string): string {
  return minutes.format(Date.parse(iso));
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });

/** The time of day in the browser's time zone, such as `14:03:07`. */
export function clockText(iso: string): string {
  return clock.format(Date.parse(iso));
}
