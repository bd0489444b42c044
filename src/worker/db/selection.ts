import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import { limited, list } from "#worker/db/statements.ts";

/** Which rows a select of AccountRows returns. */
export type Selection = {
  readonly where?: SQL | undefined;
  readonly orderBy?: readonly SQL[];
  readonly limit?: number;
};

/**
 * Several lists of rows, each with its rows sorted by the same key.
 * `streams`: a select of what each list is known by, such as the ids of projects.
 * `next`: an expression for the key of the newest row of a list below a key; null: there is none.
 * `isOldestFirst`: `next` is the oldest row above a key instead.
 */
export type Merged = {
  readonly key: SQLiteColumn;
  readonly streams: SQL;
  readonly next: (stream: SQL, bound: SQL) => SQL;
  readonly isOldestFirst?: boolean;
};

/** The end of a select: its order and its limit. */
export function pageOf(orderBy: readonly SQL[], limit: number | undefined): SQL {
  const sorted = orderBy.length === 0 ? sql`` : sql` order by ${list([...orderBy])}`;
  return limit === undefined ? sorted : sql`${sorted}${limited(limit)}`;
}
