import { sizeText } from "#contract/lib/size-text.ts";
import { CHART_BOX, pointsOf, type Sample } from "#dashboard/pages/project/samples.ts";

type Props = {
  readonly what: "memory" | "cpu";
  /** The newest last. */
  readonly samples: readonly Sample[];
};

const names = { memory: "Memory", cpu: "CPU" };

/** The least that fills the height of a chart, so that noise stays small: 1 MiB, and 5 % of a core. */
const LEAST = { memory: 2 ** 20, cpu: 5 };

/** The memory or CPU use of an instance now, and a small chart of the last two minutes. */
export function Usage({ what, samples }: Props) {
  const values = samples.map((sample) => sample[what]);
  const known = values.filter((value) => value !== null);
  const text = usageTexts[what];
  const now = values.at(-1) ?? null;
  const range =
    known.length === 0
      ? "unknown"
      : `${text(Math.min(...known))} to ${text(Math.max(...known))} in the last two minutes`;
  return (
    <span class={`usage ${what}`}>
      <span class="value">{now === null ? "–" : `${text(now)}${what === "cpu" ? " CPU" : ""}`}</span>
      <svg viewBox={CHART_BOX} preserveAspectRatio="none" role="img" aria-label={`${names[what]}: ${range}`}>
        <title>
          {names[what]}: {range}
        </title>
        <polyline points={pointsOf(values, Math.max(LEAST[what], ...known) * 1.1)} />
      </svg>
    </span>
  );
}

const usageTexts = {
  memory: sizeText,
  cpu: (percent: number) => `${percent.toFixed(percent < 10 ? 1 : 0)} %`,
};
