import type { UptimeDay } from "#contract/endpoints/servers/schemas.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Connected all day, nearly all day, for a part of the day, or not at all. */
export type UptimeLevel = "whole" | "most" | "some" | "none";

/**
 * The level of a day, by its downtime in milliseconds. The share alone would mislead for the first day and today,
 * because only a part of each counts: a few seconds are a large share of a new server's first minutes.
 * @param since start of the measurement, in Unix milliseconds
 * @param now in Unix milliseconds
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
