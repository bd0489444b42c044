import * as z from "zod/mini";

import type { PageQuery } from "#contract/paging.ts";
import { parseJson } from "#contract/parse-json.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { bytesOf, fromBase64Url, toBase64Url } from "#sealing/bytes.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/owned-tables.ts";

// A cursor contains the name of its list and the key of the last row shown. So a page continues after that row, no
// matter which rows were added or removed in the meantime.

const Cursor = z.tuple([z.string(), z.unknown()]);

type Key = string | number;

/** A list that is read in pages. */
type List<Row, RowKey extends z.ZodMiniType<Key>> = {
  /** Stands in the cursor, so that a cursor of another list is refused. */
  readonly name: string;
  readonly key: RowKey;
  readonly keyOf: (row: Row) => Key;
  readonly read: (position: { after: z.output<RowKey> | null; limit: number }) => Promise<readonly Row[]>;
};

type Page<Row> = { readonly rows: readonly Row[]; readonly nextCursor: string | null };

/** Reads a page: the rows after the cursor, at most as many as the query's limit, and the cursor of the next page. */
export async function readPage<Row, RowKey extends z.ZodMiniType<Key>>(
  list: List<Row, RowKey>,
  query: PageQuery,
  defaultLimit: number,
): Promise<Result<Page<Row>, "invalid_request">> {
  const after = readCursor(list.name, list.key, query.cursor);
  if (!after.ok) return after;
  const limit = query.limit ?? defaultLimit;
  // One row more than the limit shows whether there is a next page.
  const rows = await list.read({ after: after.value, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return succeed({ rows: shown, nextCursor: hasMore ? cursorAfter(list.name, list.keyOf(last)) : null });
}

/** As `readPage` for a list by id that fits into one response: without a limit in the query, it reads all rows. */
export async function readAll<Row extends { readonly id: string }, Id extends z.ZodMiniType<string>>(
  name: string,
  key: Id,
  read: List<Row, Id>["read"],
  query: PageQuery,
): Promise<Result<Page<Row>, "invalid_request">> {
  return await readPage({ name, key, read, keyOf: ({ id }) => id }, query, MAX_PER_ACCOUNT);
}

function cursorAfter(list: string, last: Key): string {
  return toBase64Url(bytesOf(JSON.stringify([list, last])));
}

/** @returns the key in the cursor; null without a cursor */
function readCursor<RowKey extends z.ZodMiniType>(
  list: string,
  key: RowKey,
  cursor: string | undefined,
): Result<z.output<RowKey> | null, "invalid_request"> {
  if (cursor === undefined) return succeed(null);
  const [name, last] = Cursor.safeParse(decode(cursor)).data ?? [];
  const parsed = key.safeParse(last);
  if (name === list && parsed.success) return succeed(parsed.data);
  return refuse("invalid_request", "The cursor does not belong to this list.", [
    { pointer: "?cursor", message: "is not a cursor of this list" },
  ]);
}

function decode(cursor: string): unknown {
  const bytes = fromBase64Url(cursor);
  return bytes === null ? null : parseJson(new TextDecoder().decode(bytes));
}
