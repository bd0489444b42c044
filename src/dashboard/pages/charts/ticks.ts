/** How many lines a grid has at most, besides the zero line. */
const MOST_TICKS = 4;

/**
 * Round values from 0 up to the first that is not below `most`, with equal distances of 1, 2 or 5 times a power of ten.
 * @param smallest the smallest distance, such as 1 for counts
 */
export function ticksUpTo(most: number, smallest: number): readonly number[] {
  const wanted = Math.max(most / MOST_TICKS, smallest);
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((distance) => distance >= wanted) ?? wanted;
  const count = Math.max(1, Math.ceil(most / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, at) => at * step);
}
