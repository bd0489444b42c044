import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { dayText, Grid, lastDays, type Scale, scaleOf } from "#dashboard/pages/charts/grid.tsx";
import { useWidth } from "#dashboard/pages/charts/use-width.ts";
import { Values } from "#dashboard/shared/values.tsx";

const outcomes = ["succeeded", "failed", "canceled"] as const;
type Outcome = (typeof outcomes)[number];
type Day = { readonly date: Date } & Record<Outcome, number>;

type Props = { readonly deployments: readonly Deployment[]; readonly days: number };

/** A bar for each day, today last, stacked by the outcome of the deployments. */
export function DaysChart({ deployments, days }: Props) {
  const shown = daysOf(deployments, days);
  const most = Math.max(1, ...shown.map(countOf));
  const [chart, width] = useWidth<SVGSVGElement>();
  const scale = scaleOf(width, days, most, 1);
  const total = (outcome: Outcome) => shown.reduce((sum, day) => sum + day[outcome], 0);
  return (
    <figure>
      <svg
        ref={chart}
        class="chart"
        height={scale.height}
        role="img"
        aria-label="Deployments by day and outcome"
      >
        <Grid scale={scale} width={width} days={shown.map(({ date }) => date)} labelOf={String} />
        {shown.map((day, at) => (
          <Bar key={day.date.getTime()} day={day} at={at} scale={scale} />
        ))}
      </svg>
      <figcaption>
        {outcomes.map((outcome) => (
          <span key={outcome} class={`key ${outcome}`}>
            {total(outcome)} {outcome}
          </span>
        ))}
        <Values
          label="Deployments per day"
          columns={["Day", ...outcomes]}
          rows={() =>
            shown.toReversed().map((day) => [dayText(day.date), ...outcomes.map((outcome) => day[outcome])])
          }
        />
      </figcaption>
    </figure>
  );
}

type BarProps = { readonly day: Day; readonly at: number; readonly scale: Scale };

function Bar({ day, at, scale: { x, y } }: BarProps) {
  let below = 0;
  return (
    <g>
      <title>
        {dayText(day.date)}: {outcomes.map((outcome) => `${day[outcome]} ${outcome}`).join(", ")}
      </title>
      {outcomes.map((outcome) => {
        const [bottom, top] = [y(below), y(below + day[outcome])];
        below += day[outcome];
        return (
          <rect
            key={outcome}
            class={outcome}
            x={x(at) + 2}
            y={top}
            width={Math.max(1, x(at + 1) - x(at) - 4)}
            height={bottom - top}
          />
        );
      })}
    </g>
  );
}

function daysOf(deployments: readonly Deployment[], days: number): Day[] {
  const shown = lastDays(days).map((date): Day => ({ date, succeeded: 0, failed: 0, canceled: 0 }));
  const byDay = new Map(shown.map((day) => [day.date.toDateString(), day]));
  for (const { status, created_at: at } of deployments) {
    const day = byDay.get(new Date(at).toDateString());
    if (day === undefined || status === "building") continue;
    day[status === "failed" || status === "canceled" ? status : "succeeded"] += 1;
  }
  return shown;
}

const countOf = (day: Day): number => day.succeeded + day.failed + day.canceled;
