/** The name most similar to the given one; null if all differ too much. */
export function suggest(typed: string, names: readonly string[]): string | null {
  const near = names
    .map((name) => ({ name, distance: name.startsWith(typed) ? 0 : editDistance(typed, name) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .toSorted((a, b) => a.distance - b.distance);
  return near[0]?.name ?? null;
}

/** ` Did you mean …?`, or an empty string. */
export function didYouMean(typed: string, names: readonly string[], prefix = ""): string {
  const suggestion = suggest(typed, names);
  return suggestion === null ? "" : ` Did you mean ${prefix}${suggestion}?`;
}

/** The number of letters to insert, delete, replace or swap with their neighbour (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const change = from[i - 1] === to[j - 1] ? 0 : 1;
      let least = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + change);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isSwap) least = Math.min(least, at(before, j - 2) + 1);
      row.push(least);
    }
    before = last;
    last = row;
  }
  return at(last, to.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity;
