import type { WarningRun } from "#dashboard/pages/deployment/warning-runs.ts";

/** A row of the log: a line by its index, from 0, or the head of warnings that can be folded away. */
export type Row =
  | { readonly kind: "line"; readonly index: number }
  | { readonly kind: "warnings"; readonly run: WarningRun; readonly isOpen: boolean };

export type LogRows = {
  readonly count: number;
  at(row: number): Row;
  /** The row of a line; null while the line is folded away, and for another line. */
  rowOf(index: number): number | null;
};

/**
 * The rows of some lines in a row.
 * @param lines the index of the first one, and how many they are
 * @param runs the warnings among these lines
 * @param opened the first lines of the runs whose lines are shown
 */
export function logRows(
  { first: begin, count }: { readonly first: number; readonly count: number },
  runs: readonly WarningRun[],
  opened: ReadonlySet<number>,
): LogRows {
  const shown = (run: WarningRun) => (opened.has(run.first) ? run.count : 0);
  const starts = runs.map(({ first }) => first);
  /** The row of each run's head. */
  const heads: number[] = [];
  /** How many more rows than lines there are so far. */
  let more = 0;
  for (const run of runs) {
    heads.push(run.first - begin + more);
    more += 1 + shown(run) - run.count;
  }
  return {
    count: count + more,
    at(row) {
      const place = lastAtMost(heads, row);
      const run = runs[place];
      if (run === undefined) return { kind: "line", index: begin + row };
      const below = row - (heads[place] ?? 0);
      if (below === 0) return { kind: "warnings", run, isOpen: opened.has(run.first) };
      const hidden = below > shown(run) ? run.count - shown(run) : 0;
      return { kind: "line", index: run.first + below - 1 + hidden };
    },
    rowOf(index) {
      if (index < begin || index >= begin + count) return null;
      const place = lastAtMost(starts, index);
      const run = runs[place];
      if (run === undefined) return index - begin;
      const isInside = index < run.first + run.count;
      if (isInside && !opened.has(run.first)) return null;
      const hidden = isInside ? 0 : run.count - shown(run);
      return (heads[place] ?? 0) + 1 + index - run.first - hidden;
    },
  };
}

/** The place of the last of the ascending numbers that is at most `limit`; -1 if there is none. */
function lastAtMost(numbers: readonly number[], limit: number): number {
  let low = -1;
  let high = numbers.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? Infinity) <= limit) low = middle;
    else high = middle;
  }
  return low;
}
