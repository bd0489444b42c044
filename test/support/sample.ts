import { inject } from "vitest";

import type { Sample } from "../../scripts/test/sample.ts";

declare module "vitest" {
  interface ProvidedContext {
    sample: Sample;
  }
}

/**
 * The points of a walk that this run takes: one of each `of` points, other ones each day. `GANTRY_SAMPLE=whole` takes all.
 * For a walk that has found nothing for a long time, and takes minutes.
 * @param first the number of the first point, if several walks should take different ones
 */
export function sampleOf<Point>(points: readonly Point[], of: number, first = 0): readonly Point[] {
  return points.filter((_, at) => isSampled(first + at, of));
}

/** The number of this run's sample, which is another one each day. */
export function sampleSeed(): number {
  return inject("sample").seed;
}

/** Whether this run takes the point with this number. */
export function isSampled(at: number, of: number): boolean {
  const { seed, isWhole } = inject("sample");
  return isWhole || (at + seed) % of === 0;
}

/**
 * The parts of a walk that is too long for one test: a test for each part. This run takes one of them, or all.
 * @returns each with its name, such as `part 2 of 4`
 */
export function partsOf(
  of: number,
): readonly { readonly part: string; readonly number: number; readonly of: number }[] {
  const all = Array.from({ length: of }, (_, number) => ({
    part: `part ${number + 1} of ${of}`,
    number,
    of,
  }));
  return sampleOf(all, of);
}
