import type { RowPlaces } from "#dashboard/shared/row-places.ts";

/** Characters that take more than one column, or none: all but Latin, Greek, Cyrillic and box drawing. */
const WIDE = /[^\t -\u058f\u2010-\u2027\u2190-\u259f]/u;
const TAB = 8;

/**
 * The number of columns that a text takes at most. Rows must not be cut off, so wide characters count as three.
 * @param text without control sequences
 */
export function columnsOf(text: string): number {
  if (!WIDE.test(text) && !text.includes("\t")) return text.length;
  let columns = 0;
  for (const character of text) {
    if (character === "\t") columns += TAB - (columns % TAB);
    else columns += WIDE.test(character) ? 3 : 1;
  }
  return columns;
}

/**
 * The places of rows whose text continues in the next line where it is wider than the window.
 * @param columnsAt the columns that a row's text takes
 * @param options `columns` of the window; `lineHeight` in pixels
 */
export function wrappedPlaces(
  count: number,
  columnsAt: (row: number) => number,
  { columns, lineHeight }: { readonly columns: number; readonly lineHeight: number },
): RowPlaces {
  const tops = new Float64Array(count + 1);
  for (let row = 0; row < count; row += 1) {
    const lines = Math.max(1, Math.ceil(columnsAt(row) / Math.max(1, columns)));
    tops[row + 1] = (tops[row] ?? 0) + lines * lineHeight;
  }
  return {
    top: (row) => tops[Math.min(row, count)] ?? 0,
    at(top) {
      let low = 0;
      let high = count;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((tops[middle] ?? Infinity) <= top) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
}
