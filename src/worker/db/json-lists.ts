import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

/** Whether a column has one of these values. One parameter for all values: D1 allows at most 100 parameters. */
export function isOneOf(column: SQLiteColumn, values: readonly string[]): SQL {
  return sql`${column} in (select value from json_each(${JSON.stringify(values)}))`;
}

/** In UTF-16 units. D1 allows text of at most 2,000,000 bytes, and a unit takes at most 3 bytes in UTF-8. */
const MAX_TEXT = 600_000;

/**
 * Packs values into JSON lists for `json_each`: one parameter of one statement for many rows. D1 counts each statement
 * of a batch; the free plan allows 50 per invocation of the Worker. Source: Cloudflare docs, D1, Limits.
 *
 * @returns as few lists as D1's text limit allows, usually one; none for no values
 */
export function jsonLists(values: readonly unknown[]): string[] {
  const lists: string[][] = [];
  let length = 0;
  for (const value of values) {
    const text = JSON.stringify(value);
    length += text.length + 1;
    const list = lists.at(-1);
    if (list !== undefined && length <= MAX_TEXT) {
      list.push(text);
    } else {
      lists.push([text]);
      length = text.length + 2;
    }
  }
  return lists.map((list) => `[${list.join(",")}]`);
}
