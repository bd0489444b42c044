import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { durationText } from "#contract/lib/duration-text.ts";
import { useWidth } from "#dashboard/pages/charts/use-width.ts";
import { Values } from "#dashboard/shared/values.tsx";
import { pathTo } from "#dashboard/router/route.ts";
import { dateText } from "#dashboard/text/times.ts";

const HEIGHT = 180;

/** A dot for the duration of each successful deployment, the newest at the right. */
export function DurationChart({ deployments }: { readonly deployments: readonly Deployment[] }) {
  const [chart, width] = useWidth<SVGSVGElement>();
  const shown = deployments
    .filter(({ status, kind }) => kind === "deploy" && (status === "live" || status === "superseded"))
    .toReversed();
  if (shown.length === 0) return <p class="quiet">No deployment went live in the last 30 days.</p>;
  const longest = Math.max(...shown.map(({ duration }) => duration), 0.1);
  const x = (at: number) => (shown.length === 1 ? width / 2 : 8 + (at / (shown.length - 1)) * (width - 16));
  const y = (seconds: number) => HEIGHT - (seconds / longest) * (HEIGHT - 24);
  const sorted = shown.map(({ duration }) => duration).toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return (
    <figure>
      <svg ref={chart} class="chart" height={HEIGHT + 4} role="img" aria-label="Duration over time">
        <line x1="0" x2={width} y1={HEIGHT} y2={HEIGHT} />
        <polyline points={shown.map(({ duration }, at) => `${x(at)},${y(duration)}`).join(" ")} />
        {shown.map((deployment, at) => (
          <circle key={deployment.id} cx={x(at)} cy={y(deployment.duration)} r="3">
            <title>
              v{deployment.version}, {dateText(deployment.created_at)}: {durationText(deployment.duration)}
            </title>
          </circle>
        ))}
        <text x="0" y="12">
          {durationText(longest)}
        </text>
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
