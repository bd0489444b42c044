import { MAX_UPTIME_DAYS, type Server, type UptimeDay } from "#contract/endpoints/servers/schemas.ts";
import { uptimeLevel } from "#dashboard/pages/servers/uptime-level.ts";

/** A mark for each of the last 30 days, today at the right. Days before the server was enrolled are empty. */
export function UptimeStrip({ server }: { readonly server: Server | null }) {
  const days = server?.uptime_days ?? [];
  const since = Date.parse(server?.enrolled_at ?? "");
  const now = Date.now();
  const levelOf = (day: UptimeDay) => uptimeLevel(day, since, now);
  const before = MAX_UPTIME_DAYS - days.length;
  const incomplete = days.filter((day) => levelOf(day) !== "whole");
  const summary =
    days.length === 0
      ? "no data yet"
      : incomplete.length === 0
        ? `no downtime in ${days.length} days`
        : incomplete.map(({ date, uptime }) => `${date} ${uptime}`).join(", ");
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${MAX_UPTIME_DAYS * 10} 28`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Uptime by day: ${summary}`}
    >
      {Array.from({ length: before }, (_, at) => (
        <rect key={at} class="before" x={at * 10} y="0" width="7" height="28" />
      ))}
      {days.map((day, at) => (
        <rect key={day.date} class={levelOf(day)} x={(before + at) * 10} y="0" width="7" height="28">
          <title>
            {day.date}: {day.uptime}
          </title>
        </rect>
      ))}
    </svg>
  );
}
