import type { Processes } from "#contract/endpoints/processes/schemas.ts";

/** The use of memory and CPU of an instance at one reading. null: unknown. */
export type Sample = { readonly memory: number | null; readonly cpu: number | null };

/** The samples of each instance, by its name, the newest last. */
export type Samples = ReadonlyMap<string, readonly Sample[]>;

/** The last 2 minutes, with a reading every 3 s. */
export const MOST_SAMPLES = 40;

/** Adds a reading. Instances that no longer exist are dropped. */
export function addSamples(before: Samples, { processes }: Processes): Samples {
  const instances = processes.flatMap((process) => process.instances);
  return new Map(
    instances.map(({ name, memory_bytes: memory, cpu_percent: cpu }) => [
      name,
      [...(before.get(name) ?? []), { memory, cpu }].slice(-MOST_SAMPLES),
    ]),
  );
}

const WIDTH = 60;
const HEIGHT = 18;

/** The box of a chart, as the `viewBox` of an SVG. */
export const CHART_BOX = `0 0 ${WIDTH} ${HEIGHT}`;

/**
 * The points of a line for values from 0 to `most`, the newest at the right, as an SVG `points` attribute. Unknown values
 * are left out.
 */
export function pointsOf(values: readonly (number | null)[], most: number): string {
  const step = WIDTH / (MOST_SAMPLES - 1);
  return values
    .flatMap((value, at) => {
      if (value === null) return [];
      const x = WIDTH - (values.length - 1 - at) * step;
      const y = HEIGHT - 1 - (Math.min(value, most) / most) * (HEIGHT - 2);
      return [`${x.toFixed(1)},${y.toFixed(1)}`];
    })
    .join(" ");
}
