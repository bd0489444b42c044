import { MAX_UPTIME_DAYS, type UptimeDay } from "#contract/servers.ts";

/** Of what the eye can tell apart: all of the day, nearly all, some, hardly any. */
function levelOf(uptime: string): "whole" | "most" | "some" | "none" {
  const share = Number.parseFloat(uptime);
  if (share >= 99.9) return "whole";
  if (share >= 95) return "most";
  return share > 0 ? "some" : "none";
}

/** A mark for each of the last 30 days, today at the right; the days before the server joined are empty. */
export function UptimeStrip({ days }: { readonly days: readonly UptimeDay[] }) {
  const before = MAX_UPTIME_DAYS - days.length;
  const troubled = days.filter(({ uptime }) => levelOf(uptime) !== "whole");
  const said =
    days.length === 0
      ? "no day yet"
      : troubled.length === 0
        ? `connected on all of ${days.length} days`
        : troubled.map(({ date, uptime }) => `${date} ${uptime}`).join(", ");
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${MAX_UPTIME_DAYS * 10} 28`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Uptime by day: ${said}`}
    >
      {Array.from({ length: before }, (_, at) => (
        <rect key={at} class="before" x={at * 10} y="0" width="7" height="28" />
      ))}
      {days.map(({ date, uptime }, at) => (
        <rect key={date} class={levelOf(uptime)} x={(before + at) * 10} y="0" width="7" height="28">
          <title>
            {date}: {uptime}
          </title>
        </rect>
      ))}
    </svg>
  );
}
