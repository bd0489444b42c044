import { getTableColumns, type Query, SQL, sql } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import { QueryBuilder, type SQLiteColumn, type SQLiteTable } from "drizzle-orm/sqlite-core";

/** Builds selects without a database: subqueries, and statements that AccountRows runs. */
export const qb = new QueryBuilder();

/** A finished query builder of Drizzle. */
export type Built = { toSQL(): Query };

/** A finished builder of a statement that changes rows. */
export type Changing = Built & { returning(fields: { readonly value: SQLiteColumn }): Built };

/** A statement for D1, with its parameters. */
export function prepare(database: Pick<D1Database, "prepare">, statement: Built): D1PreparedStatement {
  const { sql: text, params } = statement.toSQL();
  return database.prepare(text).bind(...params);
}

/** The values of a new row, by the names of their fields. */
type NewValues = Readonly<Record<string, unknown>>;

// `insert … select` instead of `values`, because only a select can have a condition. SQLite needs the `where` to
// distinguish an upsert's ON from a join's (lang_upsert.html, "Parsing Ambiguity").

/** Adds a row if `onlyIf` is true. */
export function insert(db: DrizzleD1Database, table: SQLiteTable, row: NewValues, onlyIf: SQL) {
  const cells = storedCells(table, row).map((value) => sql`${value}`);
  return db.insert(table).select(sql`select ${list(cells)} where ${onlyIf}`);
}

/**
 * Adds rows if `onlyIf` is true: one statement, or a few for very many rows (`jsonLists`).
 * @param computed columns whose values D1 computes, for each row, from `key` and `value`, the stored cells as JSON
 * @param isOrdered adds them in the order of the list
 */
export function insertEach(
  db: DrizzleD1Database,
  table: SQLiteTable,
  rows: readonly NewValues[],
  onlyIf: SQL,
  { computed, isOrdered = false }: { computed?: ReadonlyMap<SQLiteColumn, SQL>; isOrdered?: boolean } = {},
) {
  const cells = columnsOf(table).map(
    ([, column], at) => computed?.get(column) ?? sql`value ->> ${sql.raw(`${at}`)}`,
  );
  const order = isOrdered ? sql` order by key` : sql``;
  return jsonLists(rows.map((row) => storedCells(table, row))).map((json) =>
    db.insert(table).select(sql`select ${list(cells)} from json_each(${json}) where ${onlyIf}${order}`),
  );
}

/** Whether the account has no row with the id that a row of `insertEach` has. */
export function hasNewId(table: SQLiteTable, id: SQLiteColumn, accountId: string): SQL {
  const at = columnsOf(table).findIndex(([, column]) => column === id);
  return sql`not exists (select 1 from ${table} as known where known."account_id" = ${accountId} and known.id = value ->> ${sql.raw(`${at}`)})`;
}

/** A row's stored values, in the order of the table's columns. */
function storedCells(table: SQLiteTable, row: NewValues): unknown[] {
  const values = new Map(Object.entries(row));
  return columnsOf(table).map(([key, column]) => {
    const value = values.get(key) ?? null;
    return value === null ? null : column.mapToDriverValue(value);
  });
}

/** What an upsert sets: the new row's value of each column but some. */
export function givenValues(table: SQLiteTable, except: readonly SQLiteColumn[]): Record<string, SQL> {
  const changed = columnsOf(table).filter(([, column]) => !except.includes(column));
  return Object.fromEntries(
    changed.map(([key, column]) => [key, sql`excluded.${sql.identifier(column.name)}`]),
  );
}

/** A table's columns with the names of their fields, in order. */
export function columnsOf(table: SQLiteTable): [string, SQLiteColumn][] {
  return Object.entries(getTableColumns<SQLiteTable>(table));
}

/**
 * A field of a subquery. Drizzle removes the table from a column that stands in the field's own `sql`. The name alone
 * could mean a column of another table.
 */
export function fieldOf(field: SQLiteColumn | SQL): SQLiteColumn | SQL {
  return field instanceof SQL ? sql`${field}` : field;
}

/** A select of one column. */
export function columnRows(field: SQLiteColumn, table: SQLiteTable, where: SQL | undefined): SQL {
  return qb.select({ value: field }).from(table).where(where).getSQL();
}

/** A subquery that counts rows. */
export function countRows(table: SQLiteTable, where: SQL | undefined): SQL<number> {
  const rows = qb
    .select({ count: sql`count(*)` })
    .from(table)
    .where(where);
  return sql<number>`${rows}`;
}

/** A subquery for `field` of the first row after `skipped` others, or null. */
export function firstRow<Value>(
  field: SQLiteColumn | SQL,
  table: SQLiteTable,
  where: SQL | undefined,
  orderBy: SQL,
  skipped = 0,
): SQL<Value | null> {
  const rows = qb
    .select({ value: fieldOf(field) })
    .from(table)
    .where(where)
    .orderBy(orderBy);
  return sql<Value | null>`(${rows.getSQL()}${limited(1, skipped)})`;
}

/** A subquery for the highest number in a column, or 0. */
export function highestIn(table: SQLiteTable, number: SQLiteColumn, where: SQL | undefined): SQL<number> {
  const rows = qb
    .select({ highest: sql`coalesce(max(${number}), 0)` })
    .from(table)
    .where(where);
  return sql<number>`${rows}`;
}

/** A field with a list of `item`, one for each row. */
export function listRows(item: SQL, table: SQLiteTable, where: SQL | undefined): SQL {
  const rows = qb
    .select({ list: sql`json_group_array(${fieldOf(item)})` })
    .from(table)
    .where(where);
  return sql`json(${rows})`;
}

/**
 * ` limit … offset …`, with the numbers in the text, which Drizzle's `limit` makes parameters. SQLite plans a statement
 * for the value of such a parameter, and so plans it again at each run, which takes longer than the search for a row.
 */
export function limited(limit: number, skipped = 0): SQL {
  return sql.raw(limitText(limit, skipped));
}

/** As `limited`, as text. */
export function limitText(limit: number, skipped = 0): string {
  return ` limit ${limit}${skipped === 0 ? "" : ` offset ${skipped}`}`;
}

/** The most arguments of a function in D1. Source: Cloudflare's documentation, D1, Limits. */
export const MAX_ARGUMENTS = 32;

/** Parts with commas between them. */
export const list = (parts: SQL[]): SQL => sql.join(parts, sql`, `);

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
    const last = lists.at(-1);
    if (last !== undefined && length <= MAX_TEXT) {
      last.push(text);
    } else {
      lists.push([text]);
      length = text.length + 2;
    }
  }
  return lists.map((texts) => `[${texts.join(",")}]`);
}
