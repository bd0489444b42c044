/** The rows of a list that are loaded, newest first, and the cursor of the page after them; null: there is none. */
export type Loaded<Row> = { readonly rows: readonly Row[]; readonly cursor: string | null };

/**
 * Puts the newest page, read again, in front of the rows that are loaded already. If more rows are new than one page
 * holds, only the page is left: there would be a gap between the two.
 * @param keyOf what identifies a row
 */
export function withNewest<Row>(
  known: Loaded<Row>,
  newest: Loaded<Row>,
  keyOf: (row: Row) => unknown,
): Loaded<Row> {
  const last = newest.rows.at(-1);
  if (last === undefined || newest.cursor === null) return newest;
  const at = known.rows.findIndex((row) => keyOf(row) === keyOf(last));
  return at < 0 ? newest : { rows: [...newest.rows, ...known.rows.slice(at + 1)], cursor: known.cursor };
}
