import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { useWidth } from "#dashboard/pages/charts/use-width.ts";
import { Values } from "#dashboard/shared/values.tsx";

const HEIGHT = 180;
const outcomes = ["succeeded", "failed", "canceled"] as const;
type Outcome = (typeof outcomes)[number];
type Day = { readonly date: Date } & Record<Outcome, number>;

type Props = { readonly deployments: readonly Deployment[]; readonly days: number };

/** A bar for each day, today last, stacked by the outcome of the deployments. */
export function DaysChart({ deployments, days }: Props) {
  const shown = daysOf(deployments, days);
  const most = Math.max(1, ...shown.map(countOf));
  const [chart, width] = useWidth<SVGSVGElement>();
  const step = width / days;
  const total = (outcome: Outcome) => shown.reduce((sum, day) => sum + day[outcome], 0);
  return (
    <figure>
      <svg
        ref={chart}
        class="chart"
        height={HEIGHT + 20}
        role="img"
        aria-label="Deployments by day and outcome"
      >
        <line x1="0" x2={width} y1={HEIGHT} y2={HEIGHT} />
        {shown.map((day, at) => (
          <Bar key={day.date.getTime()} day={day} x={at * step} width={step} most={most} />
        ))}
        <text x="0" y="12">
          {most}
        </text>
        <text x="0" y={HEIGHT + 16}>
          {dayText(shown[0]?.date)}
        </text>
        <text x={width} y={HEIGHT + 16} class="end">
          today
        </text>
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

type BarProps = { readonly day: Day; readonly x: number; readonly width: number; readonly most: number };

function Bar({ day, x, width, most }: BarProps) {
  let top = HEIGHT;
  return (
    <g>
      <title>
        {dayText(day.date)}: {outcomes.map((outcome) => `${day[outcome]} ${outcome}`).join(", ")}
      </title>
      {outcomes.map((outcome) => {
        const height = (day[outcome] / most) * (HEIGHT - 16);
        top -= height;
        return <rect key={outcome} class={outcome} x={x + 2} y={top} width={width - 4} height={height} />;
      })}
    </g>
  );
}

function daysOf(deployments: readonly Deployment[], days: number): Day[] {
  const today = new Date();
  const shown = Array.from({ length: days }, (_, at): Day => {
    const date = new Date(today.getFullYear(), today.getMonth(), today.getDate() - (days - 1 - at));
    return { date, succeeded: 0, failed: 0, canceled: 0 };
  });
  const byDay = new Map(shown.map((day) => [day.date.toDateString(), day]));
  for (const { status, created_at: at } of deployments) {
    const day = byDay.get(new Date(at).toDateString());
    if (day === undefined || status === "building") continue;
    day[status === "failed" || status === "canceled" ? status : "succeeded"] += 1;
  }
  return shown;
}

const countOf = (day: Day): number => day.succeeded + day.failed + day.canceled;

function dayText(date: Date | undefined): string {
  return date?.toLocaleDateString(undefined, { day: "numeric", month: "short" }) ?? "";
}
