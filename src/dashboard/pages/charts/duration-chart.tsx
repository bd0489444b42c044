import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { durationText } from "#contract/lib/duration-text.ts";
import { Grid, lastDays, scaleOf } from "#dashboard/pages/charts/grid.tsx";
import { useWidth } from "#dashboard/pages/charts/use-width.ts";
import { Values } from "#dashboard/shared/values.tsx";
import { pathTo } from "#dashboard/router/route.ts";
import { dateText } from "#dashboard/text/times.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

type Props = { readonly deployments: readonly Deployment[]; readonly days: number };

/** A dot for the duration of each successful deployment, by the time of its start. */
export function DurationChart({ deployments, days }: Props) {
  const [chart, width] = useWidth<SVGSVGElement>();
  const shown = deployments
    .filter(({ status, kind }) => kind === "deploy" && (status === "live" || status === "superseded"))
    .toReversed();
  if (shown.length === 0) return <p class="quiet">No deployment went live in the last 30 days.</p>;
  const longest = Math.max(...shown.map(({ duration }) => duration), 0.1);
  const dates = lastDays(days);
  const scale = scaleOf(width, days, longest, 0.1);
  const begin = dates[0]?.getTime() ?? 0;
  const x = ({ created_at: at }: Deployment) => scale.x(Math.max(0, (Date.parse(at) - begin) / DAY_MS));
  const { y } = scale;
  const sorted = shown.map(({ duration }) => duration).toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return (
    <figure>
      <svg ref={chart} class="chart" height={scale.height} role="img" aria-label="Duration over time">
        <Grid scale={scale} width={width} days={dates} labelOf={durationText} />
        <polyline points={shown.map((one) => `${x(one)},${y(one.duration)}`).join(" ")} />
        {shown.map((deployment) => (
          <circle key={deployment.id} cx={x(deployment)} cy={y(deployment.duration)} r="3">
            <title>
              v{deployment.version}, {dateText(deployment.created_at)}: {durationText(deployment.duration)}
            </title>
          </circle>
        ))}
      </svg>
      <figcaption>
        Median of {shown.length}: {durationText(median)}
        <Values
          label="Duration"
          columns={["Deployment", "Started", "Duration"]}
          rows={() =>
            shown
              .toReversed()
              .map(({ id, version, created_at: at, duration }) => [
                <a href={pathTo({ page: "deployment", id })}>v{version}</a>,
                dateText(at),
                durationText(duration),
              ])
          }
        />
      </figcaption>
    </figure>
  );
}
