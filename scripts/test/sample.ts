/** What a run walks of the walks that take too long for every run. */
export type Sample = {
  /** The walks take the points whose number is this one, modulo the number of runs that walk all of them. */
  readonly seed: number;
  /** Whether they walk all points. */
  readonly isWhole: boolean;
};

const DAY_MS = 86_400_000;

/**
 * Reads the variable GANTRY_SAMPLE: `whole`, or a number that repeats the sample of an earlier run. Without it, the sample
 * changes every day.
 */
export function readSample(setting: string | undefined, now: number): Sample {
  const today = Math.floor(now / DAY_MS);
  if (setting === undefined || setting === "") return { seed: today, isWhole: false };
  if (setting === "whole") return { seed: 0, isWhole: true };
  if (/^\d{1,9}$/.test(setting)) return { seed: Number(setting), isWhole: false };
  throw new Error(`GANTRY_SAMPLE is "${setting}"; it is whole or a number`);
}
