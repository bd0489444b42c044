import { and, desc, fillPlaceholders, type GetColumnData, lt, type SQL, sql } from "drizzle-orm";
import { SQLiteAsyncDialect, SQLiteColumn } from "drizzle-orm/sqlite-core";
import * as z from "zod/mini";

import { AccountId, ProjectId } from "#contract/ids.ts";
import { type Built, limitText, list, MAX_ARGUMENTS, qb } from "#worker/db/statements.ts";

// The reads of AccountRows and of tokens, of which each request has one or more. Drizzle takes 280 µs to write the read of
// a project, with 50 fields and 5 subqueries, and 40 µs if the text of the fields is kept. A prepared read takes 15 µs. A row
// comes as one JSON list, which costs the Worker less than a value for each column (`npm run bench`, reads). Rarer reads are
// Drizzle's own.

/**
 * What to read: columns, or expressions, by the names of the fields. The value of an expression with SQLite's JSON
 * functions is read as what the JSON means. A real number keeps 15 digits.
 */
export type Fields = Readonly<Record<string, SQLiteColumn | SQL>>;
export type RowOf<Of extends Fields> = { -readonly [Name in keyof Of]: ValueOf<Of[Name]> };
type ValueOf<Field> = Field extends SQLiteColumn
  ? GetColumnData<Field>
  : Field extends SQL<infer Value>
    ? Value
    : never;

/** Which rows a select of AccountRows returns. */
export type Selection = {
  readonly where?: SQL | undefined;
  /** Whether `where` names a project, a hook or an id, as for `firstNamed`. */
  readonly isNamed?: boolean;
  readonly orderBy?: readonly SQL[];
  readonly limit?: number;
};

/** A position in a list: at most `limit` rows, from after the row with the key `after`; null: from the first row. */
export type Position<Key> = { readonly after: Key | null; readonly limit: number };

/** Selects the rows of a list from a position on, by falling values of its key column. */
export function newestFirst<Key>(key: SQLiteColumn, { after, limit }: Position<Key>, where?: SQL): Selection {
  return { where: and(where, after === null ? undefined : lt(key, after)), orderBy: [desc(key)], limit };
}

/** As `newestFirst`, for a read that is prepared. Its placeholder `after` is `afterOf`, and its run has the limit. */
export function newestPage(key: SQLiteColumn, where?: SQL): Selection {
  return { where: and(where, lt(key, sql.placeholder("after"))), orderBy: [desc(key)] };
}

/** Where a page of `newestPage` starts. All ids and numbers are below this text. */
export function afterOf({ after }: Position<string | number>): string | number {
  return after ?? "~";
}

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

/** A read of rows: run it alone with `read`, or two in one round trip with `readBoth`. */
export type Select<Of extends Fields> = {
  readonly reader: Reader;
  readonly text: string;
  readonly parameters: readonly unknown[];
  /** Never set: the type of the rows follows from it. */
  readonly fields?: Of;
};

/**
 * Reads rows.
 * @param rest continues Drizzle's `select`, with its `from`
 * @param limit the most rows, as in `limited`
 */
export function select<Of extends Fields>(
  reader: Reader,
  rest: (cells: Cells) => Built,
  limit?: number,
): Select<Of> {
  const { sql: text, params } = rest(selectCells(reader)).toSQL();
  return withLimit({ reader, text, parameters: [...reader.parameters, ...params] }, limit);
}

const selectCells = ({ cells }: Reader) => qb.select({ cells });

/** The beginning of a read. */
export type Cells = ReturnType<typeof selectCells>;

/** A read with a limit, which is in its text as in `limited`. */
export function withLimit<Of extends Fields>(one: Select<Of>, limit: number | undefined): Select<Of> {
  return limit === undefined ? one : { ...one, text: one.text + limitText(limit) };
}

/** What the placeholders of a read stand for, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** Runs a read. One round trip. @param values of its placeholders */
export async function read<Of extends Fields>(
  database: D1Database,
  one: Select<Of>,
  values: Values = {},
): Promise<RowOf<Of>[]> {
  const rows = await prepareRead(database, one, values).raw<[string]>();
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

/** Runs two reads in one round trip. @param values of their placeholders */
export async function readBoth<Of extends Fields, Other extends Fields>(
  database: D1Database,
  one: Select<Of>,
  other: Select<Other>,
  values: Values = {},
): Promise<[RowOf<Of>[], RowOf<Other>[]]> {
  const [first, second] = await database.batch<{ readonly cells: string }>([
    prepareRead(database, one, values),
    prepareRead(database, other, values),
  ]);
  const cellsOf = (found: typeof first) => (found?.results ?? []).map(({ cells }) => cells);
  return [rowsOf(one, cellsOf(first)), rowsOf(other, cellsOf(second))];
}

function prepareRead(
  database: D1Database,
  { text, parameters }: Select<Fields>,
  values: Values = {},
): D1PreparedStatement {
  return database.prepare(text).bind(...fillPlaceholders([...parameters], values));
}

/** How the fields of a row are read. */
export type Reader = {
  /** A JSON list with the values of the fields, in SQL. */
  readonly cells: SQL.Aliased;
  readonly parameters: readonly unknown[];
  readonly names: readonly string[];
  /** Which of them are booleans, which SQLite stores as numbers. */
  readonly booleans: ReadonlySet<string>;
};

/** What Drizzle has written. */
export type Written = { readonly parameters: readonly unknown[] };

/** `projectIds` null: all. */
export type Scope = { readonly accountId: AccountId; readonly projectIds: readonly ProjectId[] | null };

/** Ids that no account and no project has. */
const standIn = {
  accountId: AccountId.parse(`acct_${"0".repeat(26)}`),
  projectIds: [ProjectId.parse(`proj_${"0".repeat(26)}`)],
};

/** What Drizzle writes once for all accounts, and once more for tokens that are limited to some projects. */
export class Kept<Made extends Written> {
  readonly #ofAll = new WeakMap<object, Made>();
  readonly #ofSome = new WeakMap<object, Made>();

  /**
   * What was made for this key before, with the ids of a scope.
   * @param make makes it with the ids of a stand-in, which are replaced among its parameters
   */
  get(key: object, { accountId, projectIds }: Scope, make: (anyone: Scope) => Made): Made {
    const known = projectIds === null ? this.#ofAll : this.#ofSome;
    const made = known.get(key) ?? make(projectIds === null ? { ...standIn, projectIds } : standIn);
    known.set(key, made);
    const own = new Map<unknown, unknown>([
      [standIn.accountId, accountId],
      [JSON.stringify(standIn.projectIds), JSON.stringify(projectIds)],
    ]);
    return { ...made, parameters: made.parameters.map((one) => own.get(one) ?? one) };
  }
}

/** The fields of most reads are constants. */
const readers = new WeakMap<Fields, Reader>();

const dialect = new SQLiteAsyncDialect();

export function readerOf(fields: Fields): Reader {
  const known = readers.get(fields);
  if (known !== undefined) return known;
  const cells = Object.values(fields).map((field) =>
    dataTypeOf(field) === "json" ? sql`json(${field})` : sql`${field}`,
  );
  const { sql: text, params } = dialect.sqlToQuery(listOf(cells));
  const names = Object.keys(fields);
  const booleans = new Set(names.filter((name) => dataTypeOf(fields[name]) === "boolean"));
  const made = { cells: sql.raw(text).as("cells"), parameters: params, names, booleans };
  readers.set(fields, made);
  return made;
}

/** null: an expression. */
function dataTypeOf(field: SQLiteColumn | SQL | undefined): string | null {
  return field instanceof SQLiteColumn ? field.dataType : null;
}

/** A list of lists, because one function cannot have as many arguments as a project has columns. */
function listOf(cells: readonly SQL[]): SQL {
  const lists: SQL[] = [];
  for (let at = 0; at < cells.length; at += MAX_ARGUMENTS)
    lists.push(sql`json_array(${list(cells.slice(at, at + MAX_ARGUMENTS))})`);
  return sql`json_array(${list(lists)})`;
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
