import * as z from "zod/mini";

import { refuse, type Result, succeed } from "#contract/problems.ts";

// A cursor says which list it belongs to and what the last row shown was, so a page goes on after that row whatever
// has been added or removed since.

const Content = z.tuple([z.string(), z.unknown()]);

/** The cursor for the rows after the one whose sort key is `last`. */
function cursorAfter(list: string, last: string | number): string {
  return btoa(JSON.stringify([list, last]))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** The sort key that a cursor of this list holds; null without a cursor. Any other cursor is refused. */
export function readCursor<Key extends z.ZodMiniType>(
  list: string,
  key: Key,
  cursor: string | undefined,
): Result<z.output<Key> | null, "invalid_request"> {
  if (cursor === undefined) return succeed(null);
  const [name, last] = Content.safeParse(decode(cursor)).data ?? [];
  const parsed = key.safeParse(last);
  if (name === list && parsed.success) return succeed(parsed.data);
  return refuse("invalid_request", "The cursor is not one that this list gave.", [
    { pointer: "?cursor", message: "is not a cursor of this list" },
  ]);
}

export type Page<Row> = { readonly rows: readonly Row[]; readonly nextCursor: string | null };

/** The page out of rows read with one more than its limit: the row too many tells that there are others. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  list: string,
  keyOf: (row: Row) => string | number,
): Page<Row> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { rows: shown, nextCursor: hasMore ? cursorAfter(list, keyOf(last)) : null };
}

function decode(cursor: string): unknown {
  try {
    return JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return null;
  }
}
