import type { UptimeDay } from "#contract/endpoints/servers/schemas.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Of what the eye can tell apart: all of the day, nearly all, some, hardly any. */
export type UptimeLevel = "whole" | "most" | "some" | "none";

/**
 * How good a day was, by the time that is missing in it: of the first day and of today only a part counts, and the few
 * seconds until a new server's agent connects would be much of its first hour.
 * @param since when uptime begins to count, and `now`: in Unix milliseconds
 */
export function uptimeLevel({ date, uptime }: UptimeDay, since: number, now: number): UptimeLevel {
  const share = Number.parseFloat(uptime) / 100;
  const start = Date.parse(date);
  const counted = Math.min(now, start + DAY_MS) - Math.max(since, start);
  const missingMs = Math.round((1 - share) * counted);
  if (missingMs <= 0.001 * DAY_MS) return "whole";
  if (missingMs <= 0.05 * DAY_MS) return "most";
  return share > 0 ? "some" : "none";
}
