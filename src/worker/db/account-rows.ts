import { and, eq, sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { SQLiteColumn, SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";

import { mapValues } from "#contract/lib/map-values.ts";
import type { AccountId, ProjectId } from "#contract/ids.ts";
import {
  type Changing,
  givenValues,
  hasNewId,
  insert,
  insertEach,
  jsonLists,
  limited,
  prepare,
} from "#worker/db/statements.ts";
import { type Changes, type CountedTable, type NewRow, type OwnedTable } from "#worker/db/owned-tables.ts";
import {
  afterOf,
  type Cells,
  type Fields,
  Kept,
  type Merged,
  newestPage,
  type Position,
  read,
  readBoth,
  type Reader,
  readerOf,
  type RowOf,
  type Scope,
  type Select,
  select,
  type Selection,
  type Values,
  withLimit,
} from "#worker/db/reads.ts";
import { AccountScope } from "#worker/db/account-scope.ts";
import { accounts } from "#worker/db/schema.ts";

/**
 * Fields with subqueries about the account. A named function is called once for all accounts and its result is cached,
 * so it must depend on nothing else.
 */
export type FieldsOf<Of extends Fields> = (rows: AccountRows) => Of;

/** The arguments of `select`. */
type Arguments<Of extends Fields> = readonly [
  fields: Of | FieldsOf<Of>,
  table: OwnedTable,
  selection: Selection,
];

/**
 * A read that is prepared, with `sql.placeholder` for what differs between its runs. A named function, as for FieldsOf.
 */
export type Prepared<Of extends Fields> = (rows: AccountRows) => Arguments<Of>;

const readers = new Kept<Reader>();
const prepared = new Kept<Select<Fields>>();
/** By the fields, which are of one table, and of one list of it. */
const byId = new Kept<Select<Fields>>();
const pages = new Kept<Select<Fields>>();

/** A statement that changes rows of the account. Run it alone or together with others. */
class Write {
  readonly #statement: Changing;
  constructor(statement: Changing) {
    this.#statement = statement;
  }
  static statementOf(write: Write): Changing {
    return write.#statement;
  }
}
// Exported as a type only, so that only AccountRows can create one.
export type { Write };

/**
 * The only access to the rows of an account: every statement that it builds contains `account_id = ?`, and everything
 * that could build another statement is private. Requests and Durable Objects use it.
 *
 * A failed statement throws D1's error. `uniqueViolation` reads it.
 */
export class AccountRows extends AccountScope {
  readonly #database: D1Database;

  /**
   * @param projectIds limits all statements to these projects, the rows that belong to them, the tokens, trust rules and
   * webhooks that are limited to some of them, and the hooks of their repositories; null: no limit
   */
  constructor(database: D1Database, accountId: AccountId, projectIds: readonly ProjectId[] | null = null) {
    super(accountId, projectIds);
    this.#database = database;
  }

  /** Reads `fields` of the account's rows in `table`. One round trip. */
  async select<const Of extends Fields>(fields: Of | FieldsOf<Of>, table: OwnedTable, selection: Selection) {
    return await read(this.#database, this.#select(fields, table, selection));
  }

  /** The account's row with this id; null if there is none. A prepared read. */
  async find<const Of extends Fields>(
    fields: Of | FieldsOf<Of>,
    table: OwnedTable,
    id: string,
  ): Promise<RowOf<Of> | null> {
    const selection = { where: eq(table.id, sql.placeholder("id")), limit: 1 };
    const one = this.#kept<Of>(byId, fields, (anyone) => anyone.#select(fields, table, selection));
    const [row] = await read(this.#database, one, { id });
    return row ?? null;
  }

  /** A page of the account's rows, by falling values of a column. A prepared read. */
  async page<const Of extends Fields>(
    fields: Of | FieldsOf<Of>,
    table: OwnedTable,
    key: SQLiteColumn,
    position: Position<string | number>,
  ): Promise<RowOf<Of>[]> {
    const one = this.#kept<Of>(pages, fields, (anyone) => anyone.#select(fields, table, newestPage(key)));
    return await read(this.#database, withLimit(one, position.limit), { after: afterOf(position) });
  }

  /** As `select`, of a read that is prepared. @param values of its placeholders */
  async selectPrepared<const Of extends Fields>(query: Prepared<Of>, values: Values, limit?: number) {
    return await read(this.#database, withLimit(this.#prepared(query), limit), values);
  }

  /** Two selects in one round trip. @param values of the placeholders, if a select is prepared */
  async selectBoth<const Of extends Fields, const Other extends Fields>(
    one: Prepared<Of> | Arguments<Of>,
    other: Prepared<Other> | Arguments<Other>,
    values: Values = {},
  ) {
    return await readBoth(this.#database, this.#written(one), this.#written(other), values);
  }

  /**
   * Merges several lists into one, the newest row first, or the oldest. SQLite always takes the next row from the list
   * with the newest one, so it reads only one row of each list and the rows that it returns, however long the lists are.
   */
  async selectMerged<const Of extends Fields>(
    fields: Of | FieldsOf<Of>,
    table: OwnedTable,
    { key, streams, next, isOldestFirst = false }: Merged,
    { after, limit }: { readonly after: string | number | null; readonly limit: number },
  ): Promise<RowOf<Of>[]> {
    // All ids and numbers are below this text. Without a bound, SQLite would choose other indexes.
    const first = next(sql`stream`, sql`${after ?? "~"}`);
    const order = isOldestFirst ? sql`nulls last` : sql`desc`;
    const page = sql`page (stream, at) as (select stream, ${first} from lists union all select stream, ${next(sql`stream`, sql`at`)} from page where at is not null order by 2 ${order}${limited(limit)})`;
    const source = sql`with recursive lists (stream) as (${streams}), ${page} select at from page`;
    return await this.#selectFrom(source, fields, table, key, { orderBy: [sql`${key} ${order}`] });
  }

  /** As `select`, of the rows whose ids a `select id as at …` gives. */
  async selectFound<const Of extends Fields>(
    fields: Of | FieldsOf<Of>,
    table: OwnedTable,
    found: SQL,
    selection: Selection,
  ): Promise<RowOf<Of>[]> {
    const source = sql`with given (at) as (${found}) select at from given`;
    return await this.#selectFrom(source, fields, table, table.id, selection);
  }

  /** @param source a select of `at`, the keys of the rows */
  async #selectFrom<const Of extends Fields>(
    source: SQL,
    fields: Of | FieldsOf<Of>,
    table: OwnedTable,
    key: SQLiteColumn,
    { where, orderBy = [], limit }: Selection,
  ): Promise<RowOf<Of>[]> {
    const isFound = this.owned(table, and(sql`${key} = found.at`, where));
    // A cross join, because SQLite then reads its left table first.
    const rest = (cells: Cells) =>
      cells
        .from(sql`(${source}) as found`)
        .crossJoin(table)
        .where(isFound)
        .orderBy(...orderBy);
    return await read(this.#database, select<Of>(this.#readerOf(fields), rest, limit));
  }

  #select<const Of extends Fields>(
    fields: Of | FieldsOf<Of>,
    table: OwnedTable,
    { where, isNamed = false, orderBy = [], limit }: Selection,
  ): Select<Of> {
    const isOwn = isNamed ? this.named(table, where) : this.owned(table, where);
    const rest = (cells: Cells) =>
      cells
        .from(table)
        .where(isOwn)
        .orderBy(...orderBy);
    return select<Of>(this.#readerOf(fields), rest, limit);
  }

  #readerOf(fields: Fields | FieldsOf<Fields>): Reader {
    if (typeof fields !== "function") return readerOf(fields);
    return readers.get(fields, this, (anyone) => readerOf(fields(this.#as(anyone))));
  }

  #written<Of extends Fields>(one: Prepared<Of> | Arguments<Of>): Select<Of> {
    return typeof one === "function" ? this.#prepared(one) : this.#select(...one);
  }

  #prepared<Of extends Fields>(query: Prepared<Of>): Select<Of> {
    return this.#kept(prepared, query, (anyone) => anyone.#select(...query(anyone)));
  }

  #kept<Of extends Fields>(
    kept: Kept<Select<Fields>>,
    key: object,
    make: (anyone: AccountRows) => Select<Of>,
  ): Select<Of> {
    const { reader, text, parameters } = kept.get(key, this, (anyone) => make(this.#as(anyone)));
    return { reader, text, parameters };
  }

  #as({ accountId, projectIds }: Scope): AccountRows {
    return new AccountRows(this.#database, accountId, projectIds);
  }

  /** Adds a row if `onlyIf` is true. Fails if another row has the same unique value. */
  insert<Table extends OwnedTable>(table: Table, row: NewRow<Table>, onlyIf: SQL = sql`true`): Write {
    return new Write(insert(this.#db(), table, this.#owning(row), onlyIf));
  }

  /** Adds a row, unless a row with its id exists: then the count is 0. */
  insertIfNew<Table extends OwnedTable>(table: Table, row: NewRow<Table>): Write {
    const insertion = insert(this.#db(), table, this.#owning(row), sql`true`);
    return new Write(insertion.onConflictDoNothing({ target: table.id }));
  }

  /**
   * Adds rows in order. A row whose id the account already has replaces that row if its `newer` column is greater. Takes
   * one statement, or a few for very many rows (`jsonLists`).
   * @param kept columns in which a null keeps the value that the row has
   */
  upsert<Table extends OwnedTable>(
    table: Table,
    rows: readonly NewRow<Table>[],
    newer: SQLiteColumn,
    kept: Readonly<Record<string, SQLiteColumn>> = {},
  ): Write[] {
    const given = givenValues(table, [table.id, table.accountId]);
    const set = {
      ...given,
      ...mapValues(kept, (column, name) => sql`coalesce(${given[name]}, ${column})`),
    };
    const setWhere = sql`${this.owned(table, sql`${newer} < excluded.${sql.identifier(newer.name)}`)}`;
    return this.#inserts(table, rows, sql`true`, { isOrdered: true }).map(
      (insertion) => new Write(insertion.onConflictDoUpdate({ target: table.id, set, setWhere })),
    );
  }

  /** Adds rows if `onlyIf` is true, in one statement or a few as for `upsert`. Fails if a unique value exists. */
  insertEach<Table extends OwnedTable>(table: Table, rows: readonly NewRow<Table>[], onlyIf: SQL): Write[] {
    return this.#inserts(table, rows, onlyIf).map((insertion) => new Write(insertion));
  }

  /** Adds rows if `onlyIf` is true, in one statement or a few as for `upsert`. Rows whose ids exist are skipped. */
  insertEachIfNew<Table extends OwnedTable>(
    table: Table,
    rows: readonly NewRow<Table>[],
    onlyIf: SQL = sql`true`,
  ): Write[] {
    return this.#inserts(table, rows, onlyIf).map(
      (insertion) => new Write(insertion.onConflictDoNothing({ target: table.id })),
    );
  }

  /**
   * Adds rows if `onlyIf` is true, each with the account's next number in `number`, in one statement or a few as for
   * `upsert`. Rows whose id exists are skipped. The condition and the numbers hold for the moment of the write, because
   * D1 runs one write at a time.
   * @param computed columns whose values D1 computes
   */
  insertNumbered<Table extends OwnedTable>(
    table: Table,
    rows: readonly NewRow<Table>[],
    number: SQLiteColumn,
    onlyIf: SQL = sql`true`,
    computed: ReadonlyMap<SQLiteColumn, SQL> = new Map(),
  ): Write[] {
    // Not `key`: a row that is skipped must not leave a gap, in which the audit log's seals would miss an entry.
    const next = sql`${this.highest(table, number)} + row_number() over (order by key)`;
    const isNew = hasNewId(table, table.id, this.accountId);
    const condition = sql`${onlyIf} and ${isNew}`;
    const numbered = { computed: new Map([...computed, [number, next]]) };
    return this.#inserts(table, rows, condition, numbered).map(
      (insertion) => new Write(insertion.onConflictDoNothing({ target: table.id })),
    );
  }

  update<Table extends OwnedTable>(table: Table, changes: Changes<Table>, where: SQL | undefined): Write {
    return new Write(this.#db().update(table).set(changes).where(this.owned(table, where)));
  }

  /** Changes the row of the account itself. */
  updateAccount(changes: SQLiteUpdateSetSource<typeof accounts>): Write {
    return new Write(this.#db().update(accounts).set(changes).where(eq(accounts.id, this.accountId)));
  }

  /**
   * Changes several rows, each differently: `changes` and `where` are evaluated for each of the values and refer to it as
   * `given.value`. `where` must name the row's id. One statement or a few, as for `upsert`.
   */
  updateEach<Table extends OwnedTable>(
    table: Table,
    values: readonly unknown[],
    changes: Changes<Table>,
    where: SQL | undefined,
  ): Write[] {
    return jsonLists(values).map((json) => {
      const update = this.#db()
        .update(table)
        .set(changes)
        .from(sql`json_each(${json}) as given`);
      return new Write(update.where(this.named(table, where)));
    });
  }

  /** Deletes rows. `where` must name ids or a project. */
  delete(table: CountedTable, where: SQL): Write {
    return new Write(this.#db().delete(table).where(this.named(table, where)));
  }

  /** Runs one write. @returns how many rows it changed */
  async run(write: Write): Promise<number> {
    const result = await this.#prepare(write).run();
    return result.meta.changes;
  }

  /** As `run`, and runs `more` in the same transaction. @returns what `column` has in each row that `write` changed */
  async runReturning(write: Write, column: SQLiteColumn, more: readonly Write[] = []): Promise<unknown[]> {
    const first = prepare(this.#database, Write.statementOf(write).returning({ value: column }));
    const others = more.map((one) => this.#prepare(one));
    const [returned] =
      others.length === 0
        ? [await first.all()]
        : await this.#database.batch<Record<string, unknown>>([first, ...others]);
    return (returned?.results ?? []).map((row) => row[column.name]);
  }

  /** Runs all writes in one transaction and one round trip. @returns how many rows each changed */
  async runTogether(writes: readonly Write[]): Promise<number[]> {
    if (writes.length === 0) return [];
    const results = await this.#database.batch(writes.map((write) => this.#prepare(write)));
    return results.map((result) => result.meta.changes);
  }

  #owning<Table extends OwnedTable>(row: NewRow<Table>): Readonly<Record<string, unknown>> {
    return { ...row, accountId: this.accountId };
  }

  #inserts<Table extends OwnedTable>(
    table: Table,
    rows: readonly NewRow<Table>[],
    onlyIf: SQL,
    options: Parameters<typeof insertEach>[4] = {},
  ) {
    const owned = rows.map((row) => this.#owning(row));
    return insertEach(this.#db(), table, owned, onlyIf, options);
  }

  #db() {
    return drizzle(this.#database);
  }

  #prepare(write: Write): D1PreparedStatement {
    return prepare(this.#database, Write.statementOf(write));
  }
}
