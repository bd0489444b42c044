import { and, desc, lt, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { Selection } from "#worker/db/selection.ts";

/** A position in a list: the rows after the one whose key is `after` (null: from the start), at most `limit`. */
export type Position<Key> = { readonly after: Key | null; readonly limit: number };

/** Selects the rows of a list from a position on, by falling values of its key column. */
export function newestFirst<Key>(key: SQLiteColumn, { after, limit }: Position<Key>, where?: SQL): Selection {
  return { where: and(where, after === null ? undefined : lt(key, after)), orderBy: [desc(key)], limit };
}
