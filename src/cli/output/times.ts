import type { Output } from "#cli/output/output.ts";

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** A relative time such as `3 minutes ago` for a terminal; the ISO time in plain text. */
export function timeText(time: string | null, { form }: Pick<Output, "form">, never = "never"): string {
  if (time === null) return never;
  return form === "terminal" ? relativeText(Date.parse(time) - Date.now()) : time;
}

/** As `timeText`, for when something happens next: a time that has passed is `now`, because it has not happened yet. */
export function nextTimeText(time: string | null, output: Pick<Output, "form">): string {
  const isDue = time !== null && Date.parse(time) <= Date.now();
  return isDue && output.form === "terminal" ? "now" : timeText(time, output);
}

const HOUR_MS = 60 * 60 * 1000;

/** As `timeText`, for a time in the past that is written once an hour. */
export function timeByHour(time: string | null, output: Pick<Output, "form">): string {
  const isRecent = time !== null && Date.now() - Date.parse(time) < HOUR_MS;
  return isRecent && output.form === "terminal" ? "within the last hour" : timeText(time, output);
}

/** A past time is rounded down, and a future one to the nearest unit: what expires in 7 days says so also a second later. */
function relativeText(ms: number): string {
  const seconds = ms < 0 ? -ms / 1000 : roundedUp(ms / 1000);
  const [unit, length] = UNITS.find(([, each]) => seconds >= each) ?? ["moment", 0];
  if (length === 0) return ms < 0 ? "just now" : "in a moment";
  const count = ms < 0 ? Math.floor(seconds / length) : Math.round(seconds / length);
  const text = `${count} ${unit}${count === 1 ? "" : "s"}`;
  return ms < 0 ? `${text} ago` : `in ${text}`;
}

/** Seconds, of which 59.5 minutes are an hour and 23.8 hours are a day. */
function roundedUp(seconds: number): number {
  const [, length] = UNITS.find(([, each]) => seconds >= each * 0.99) ?? ["moment", 0];
  return Math.max(seconds, length);
}

/** The time since a date, in short: `12 s`, `3 min`, `5 h 12 min`, `2 d 5 h`. */
export function ageText(time: string): string {
  const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(time)) / 1000));
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min` : `${seconds} s`;
}
