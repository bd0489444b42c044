import { MAX_UPTIME_DAYS, type Server, type UptimeDay } from "#contract/endpoints/servers/schemas.ts";
import { counted } from "#contract/lib/counted.ts";
import { uptimeLevel } from "#dashboard/pages/servers/uptime-level.ts";

/** A mark for each of the last 30 days since the first connection, the oldest at the left. */
export function UptimeStrip({ server }: { readonly server: Server | null }) {
  const days = server?.uptime_days ?? [];
  const since = Date.parse(server?.enrolled_at ?? "");
  const now = Date.now();
  const levelOf = (day: UptimeDay) => uptimeLevel(day, since, now);
  const incomplete = days.filter((day) => levelOf(day) !== "whole");
  const summary =
    days.length === 0
      ? "no data yet"
      : incomplete.length === 0
        ? `no downtime in ${counted(days.length, "day")}`
        : incomplete.map(({ date, uptime }) => `${date} ${uptime}`).join(", ");
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${MAX_UPTIME_DAYS * 10} 28`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Uptime by day: ${summary}`}
    >
      {days.map((day, at) => (
        <rect key={day.date} class={levelOf(day)} x={at * 10} y="0" width="7" height="28">
          <title>
            {day.date}: {day.uptime}
          </title>
        </rect>
      ))}
    </svg>
  );
}
