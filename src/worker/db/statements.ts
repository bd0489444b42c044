import { getTableColumns, getTableName, is, SQL, sql } from "drizzle-orm";
import { CasingCache } from "drizzle-orm/casing";
import type { SelectResultFields } from "drizzle-orm/query-builders/select.types";
import { alias, SQLiteColumn, type SQLiteTable } from "drizzle-orm/sqlite-core";

import { jsonLists } from "#worker/db/json-lists.ts";

// Statements from Drizzle's tables, columns and `sql`, without its query builders and its driver: they would be a tenth
// of the Worker's bundle (docs/decisions.md).

/** What to read: columns, or expressions, by the names of the fields. */
export type Fields = Readonly<Record<string, SQLiteColumn | SQL>>;
export type RowOf<Of extends Fields> = SelectResultFields<{ -readonly [Name in keyof Of]: Of[Name] }>;

/** The values of a new row, by the names of their fields. */
type NewValues = Readonly<Record<string, unknown>>;

const rendering = {
  casing: new CasingCache(),
  escapeName: (name: string) => `"${name.replaceAll('"', '""')}"`,
  escapeParam: () => "?",
  escapeString: (text: string) => `'${text.replaceAll("'", "''")}'`,
};

/** A statement for D1, with its parameters. */
export function prepare(database: Pick<D1Database, "prepare">, statement: SQL): D1PreparedStatement {
  const { sql: text, params } = statement.toQuery(rendering);
  return database.prepare(text).bind(...params);
}

/** A read of rows: run it alone with `read`, or several in one round trip with `readBoth`. */
export type Select<Of extends Fields> = { readonly fields: Of; readonly statement: SQL };

/** Reads `fields`. @param rest the statement from its `from` on */
export function select<const Of extends Fields>(fields: Of, rest: SQL): Select<Of> {
  // Each column has its own name: a batch answers with objects.
  const columns = Object.values(fields).map((field, at) => sql`${field} as ${sql.raw(`f${at}`)}`);
  return { fields, statement: sql`select ${list(columns)} ${rest}` };
}

/** Runs a read. One round trip. */
export async function read<Of extends Fields>(
  database: D1Database,
  { fields, statement }: Select<Of>,
): Promise<RowOf<Of>[]> {
  const rows = await prepare(database, statement).raw();
  return rows.map((row) => rowOf(fields, (at) => row[at]));
}

/** As `read`, and how large the database is, which D1 says with each result. */
export async function readWithSize<Of extends Fields>(
  database: D1Database,
  { fields, statement }: Select<Of>,
): Promise<{ rows: RowOf<Of>[]; databaseBytes: number }> {
  const { results, meta } = await prepare(database, statement).all();
  const rows = results.map((row) => rowOf(fields, (at) => row[`f${at}`]));
  return { rows, databaseBytes: meta.size_after };
}

/** Runs two reads in one round trip. */
export async function readBoth<Of extends Fields, Other extends Fields>(
  database: D1Database,
  one: Select<Of>,
  other: Select<Other>,
): Promise<[RowOf<Of>[], RowOf<Other>[]]> {
  const [first, second] = await database.batch<Record<string, unknown>>([
    prepare(database, one.statement),
    prepare(database, other.statement),
  ]);
  const rowsOf = <Some extends Fields>(fields: Some, found: typeof first) =>
    (found?.results ?? []).map((row) => rowOf(fields, (at) => row[`f${at}`]));
  return [rowsOf(one.fields, first), rowsOf(other.fields, second)];
}

// An overload, because the type of a row follows from its fields.
function rowOf<Of extends Fields>(fields: Of, stored: (at: number) => unknown): RowOf<Of>;
function rowOf(fields: Fields, stored: (at: number) => unknown): unknown {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field], at) => {
      const value = stored(at) ?? null;
      return [name, value === null || !is(field, SQLiteColumn) ? value : field.mapFromDriverValue(value)];
    }),
  );
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

/** Parts with commas between them. */
export const list = (parts: SQL[]): SQL => sql.join(parts, sql`, `);
