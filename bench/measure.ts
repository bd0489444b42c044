/** @returns the duration of `work`, in milliseconds */
export async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** @param values at least one */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** The percentile by the nearest rank. @param values at least one; @param percent from 0 to 100 */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/** A row of the table: a measured value, and its goal. */
export type Row = {
  readonly what: string;
  readonly measured: string;
  readonly against: string;
  readonly ratio: string;
  readonly goal: string;
  readonly isMet: boolean;
};

export function formatTable(rows: readonly Row[]): string {
  const header = ["what", "measured", "against", "ratio", "goal", ""];
  const lines = rows.map((row) => [
    row.what,
    row.measured,
    row.against,
    row.ratio,
    row.goal,
    row.isMet ? "met" : "MISSED",
  ]);
  const widths = header.map((name, column) =>
    Math.max(name.length, ...lines.map((line) => (line[column] ?? "").length)),
  );
  const format = (line: readonly string[]) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [format(header), widths.map((width) => "─".repeat(width)).join("  "), ...lines.map(format)].join(
    "\n",
  );
}
