import { getTableColumns, getTableName, is, SQL, sql } from "drizzle-orm";
import { alias, type SQLiteColumn, type SQLiteTable } from "drizzle-orm/sqlite-core";

import { jsonLists } from "#worker/db/json-lists.ts";
import { render } from "#worker/db/render.ts";

// Statements from Drizzle's tables, columns and `sql`, without its query builders and its driver: they would be a tenth
// of the Worker's bundle (docs/decisions.md).

/** The values of a new row, by the names of their fields. */
type NewValues = Readonly<Record<string, unknown>>;

/** A statement for D1, with its parameters. */
export function prepare(database: Pick<D1Database, "prepare">, statement: SQL): D1PreparedStatement {
  const { text, parameters } = render(statement);
  return database.prepare(text).bind(...parameters);
}

/** ` from … where …`, with an alias under both of its names. */
export function from(table: SQLiteTable, where: SQL | undefined): SQL {
  return sql`from ${named(table)}${whereOf(where)}`;
}

// `insert … select` instead of `values`, because only a select can have a condition. SQLite needs the `where` to
// distinguish an upsert's ON from a join's (lang_upsert.html, "Parsing Ambiguity").

/** Adds a row if `onlyIf` is true. */
export function insert(table: SQLiteTable, row: NewValues, onlyIf: SQL): SQL {
  const cells = storedCells(table, row).map((value) => sql`${value}`);
  return sql`${into(table)} select ${list(cells)} where ${onlyIf}`;
}

/**
 * Adds rows if `onlyIf` is true: one statement, or a few for very many rows (`jsonLists`).
 * @param computed columns whose values D1 computes, for each row, from `key` and `value`, the stored cells as JSON
 */
export function insertEach(
  table: SQLiteTable,
  rows: readonly NewValues[],
  onlyIf: SQL,
  computed: ReadonlyMap<SQLiteColumn, SQL>,
): SQL[] {
  const cells = columnsOf(table).map(
    ([, column], at) => computed.get(column) ?? sql`value ->> ${sql.raw(`${at}`)}`,
  );
  return jsonLists(rows.map((row) => storedCells(table, row))).map(
    (json) => sql`${into(table)} select ${list(cells)} from json_each(${json}) where ${onlyIf}`,
  );
}

/** An insert that skips rows whose id exists. */
export function ifNew(table: SQLiteTable & { readonly id: SQLiteColumn }, insertion: SQL): SQL {
  return sql`${insertion} on conflict (${nameOf(table.id)}) do nothing`;
}

function into(table: SQLiteTable): SQL {
  return sql`insert into ${table} (${list(columnsOf(table).map(([, column]) => nameOf(column)))})`;
}

/** A row's stored values, in the order of the table's columns. */
function storedCells(table: SQLiteTable, row: NewValues): unknown[] {
  const values = new Map(Object.entries(row));
  return columnsOf(table).map(([key, column]) => {
    const value = values.get(key) ?? null;
    return value === null ? null : column.mapToDriverValue(value);
  });
}

/** A table's columns with the names of their fields, in order. */
export function columnsOf(table: SQLiteTable): [string, SQLiteColumn][] {
  return Object.entries(getTableColumns<SQLiteTable>(table));
}

/**
 * Changes a row or several.
 * @param changes an `SQLiteUpdateSetSource` of the table
 * @param source a further source of values, such as `json_each(…) as given`
 */
export function update(
  table: SQLiteTable,
  changes: Readonly<Record<string, unknown>>,
  where: SQL | undefined,
  source: SQL | null = null,
): SQL {
  const columns: Readonly<Record<string, SQLiteColumn>> = getTableColumns<SQLiteTable>(table);
  const set = Object.entries(changes).flatMap(([name, value]) => {
    const column = columns[name];
    if (column === undefined || value === undefined) return [];
    return [sql`${nameOf(column)} = ${is(value, SQL) ? value : sql.param(value, column)}`];
  });
  const given = source === null ? sql`` : sql` from ${source}`;
  return sql`update ${table} set ${list(set)}${given}${whereOf(where)}`;
}

/** Deletes rows. */
export function remove(table: SQLiteTable, where: SQL | undefined): SQL {
  return sql`delete from ${table}${whereOf(where)}`;
}

function whereOf(where: SQL | undefined): SQL {
  return where === undefined ? sql`` : sql` where ${where}`;
}

const aliased = new WeakMap<SQLiteTable, SQLiteTable>();

/** A table under another name, for a statement that reads it twice. */
export function aliasOf<Of extends SQLiteTable, Name extends string>(table: Of, name: Name) {
  const other = alias(table, name);
  aliased.set(other, table);
  return other;
}

/** A table in a `from`. */
function named(table: SQLiteTable): SQL {
  const original = aliased.get(table);
  return original === undefined ? sql`${table}` : sql`${original} ${sql.identifier(getTableName(table))}`;
}

/** A column's own name, as an insert and the left side of a `set` need it. */
export const nameOf = (column: SQLiteColumn): SQL => sql`${sql.identifier(column.name)}`;

/**
 * ` limit … offset …`, with the numbers in the text. If a limit is a parameter, SQLite plans the statement for its value,
 * and so plans it again at each run, which takes longer than the search for a row.
 */
export function limited(limit: number, skipped = 0): SQL {
  return sql.raw(` limit ${limit}${skipped === 0 ? "" : ` offset ${skipped}`}`);
}

/** Parts with commas between them. */
export const list = (parts: SQL[]): SQL => sql.join(parts, sql`, `);
