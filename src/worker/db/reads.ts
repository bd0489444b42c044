import type { SQL } from "drizzle-orm";
import type { SelectResultFields } from "drizzle-orm/query-builders/select.types";
import { SQLiteBoolean, type SQLiteColumn, SQLiteTextJson } from "drizzle-orm/sqlite-core";
import * as z from "zod/mini";

import { render, textOf } from "#worker/db/render.ts";

// D1 returns each row as one JSON list. That costs the Worker less than a value for each column
// (`npm run bench`, reads).

/**
 * What to read: columns, or expressions, by the names of the fields. The value of an expression with SQLite's JSON
 * functions is read as what the JSON means. A real number keeps 15 digits.
 */
export type Fields = Readonly<Record<string, SQLiteColumn | SQL>>;
export type RowOf<Of extends Fields> = SelectResultFields<{ -readonly [Name in keyof Of]: Of[Name] }>;

/** A read of rows: run it alone with `read`, or several in one round trip with `readBoth`. */
export type Select<Of extends Fields> = {
  readonly reader: Reader;
  /** The statement from its `from` on. */
  readonly rest: SQL;
  /** Never set: the type of the rows follows from it. */
  readonly fields?: Of;
};

/** Reads `fields`. @param rest the statement from its `from` on */
export function select<const Of extends Fields>(fields: Of, rest: SQL): Select<Of> {
  return { reader: readerOf(fields), rest };
}

/** Runs a read. One round trip. */
export async function read<Of extends Fields>(database: D1Database, one: Select<Of>): Promise<RowOf<Of>[]> {
  const rows = await prepareRead(database, one).raw<[string]>();
  return rowsOf(
    one,
    rows.map(([cells]) => cells),
  );
}

/** As `read`, with the size of the database in bytes, which D1 reports with each result. */
export async function readWithSize<Of extends Fields>(
  database: D1Database,
  one: Select<Of>,
): Promise<{ rows: RowOf<Of>[]; databaseBytes: number }> {
  const { results, meta } = await prepareRead(database, one).all<{ readonly cells: string }>();
  const rows = rowsOf(
    one,
    results.map(({ cells }) => cells),
  );
  return { rows, databaseBytes: meta.size_after };
}

/** Runs two reads in one round trip. */
export async function readBoth<Of extends Fields, Other extends Fields>(
  database: D1Database,
  one: Select<Of>,
  other: Select<Other>,
): Promise<[RowOf<Of>[], RowOf<Other>[]]> {
  const [first, second] = await database.batch<{ readonly cells: string }>([
    prepareRead(database, one),
    prepareRead(database, other),
  ]);
  const cellsOf = (found: typeof first) => (found?.results ?? []).map(({ cells }) => cells);
  return [rowsOf(one, cellsOf(first)), rowsOf(other, cellsOf(second))];
}

function prepareRead(database: D1Database, { reader, rest }: Select<Fields>): D1PreparedStatement {
  const { text, parameters } = render(rest);
  return database.prepare(`select ${reader.list} as cells ${text}`).bind(...reader.parameters, ...parameters);
}

/** How the fields of a row are read. */
export type Reader = {
  /** A JSON list with the values of the fields, in SQL. */
  readonly list: string;
  readonly parameters: readonly unknown[];
  readonly names: readonly string[];
  /** Which of them are booleans, which SQLite stores as numbers. */
  readonly booleans: ReadonlySet<string>;
};

/** The fields of most reads are constants. */
const readers = new WeakMap<Fields, Reader>();

export function readerOf(fields: Fields): Reader {
  const known = readers.get(fields);
  if (known !== undefined) return known;
  const parameters: unknown[] = [];
  const cells = Object.values(fields).map((field) => {
    const text = textOf(field, parameters);
    return field instanceof SQLiteTextJson ? `json(${text})` : text;
  });
  const names = Object.keys(fields);
  const booleans = new Set(names.filter((name) => fields[name] instanceof SQLiteBoolean));
  const made = { list: listOf(cells), parameters, names, booleans };
  readers.set(fields, made);
  return made;
}

/** The most arguments of a function in D1. Source: Cloudflare's documentation, D1, Limits. */
const MAX_ARGUMENTS = 32;

/** A list of lists, because one function cannot have as many arguments as a project has columns. */
function listOf(cells: readonly string[]): string {
  const lists: string[] = [];
  for (let at = 0; at < cells.length; at += MAX_ARGUMENTS)
    lists.push(`json_array(${cells.slice(at, at + MAX_ARGUMENTS).join(", ")})`);
  return `json_array(${lists.join(", ")})`;
}

/** What `listOf` returns in D1. */
const Lists = z.custom<unknown[][]>();

// An overload, because the type of a row follows from its fields.
function rowsOf<Of extends Fields>(select: Select<Of>, rows: readonly string[]): RowOf<Of>[];
function rowsOf({ reader: { names, booleans } }: Select<Fields>, rows: readonly string[]): unknown[] {
  return rows.map((cells) => {
    const lists = Lists.parse(JSON.parse(cells));
    const row: Record<string, unknown> = {};
    // Not from a list of pairs, which would take twice as long for a page of deployments.
    for (const [at, name] of names.entries()) {
      const value = lists[Math.floor(at / MAX_ARGUMENTS)]?.[at % MAX_ARGUMENTS] ?? null;
      row[name] = value !== null && booleans.has(name) ? value === 1 : value;
    }
    return row;
  });
}
