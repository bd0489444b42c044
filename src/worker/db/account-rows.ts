import { and, eq, sql, type SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";

import { AccountId, ProjectId } from "#contract/ids.ts";
import { inSight } from "#worker/db/in-sight.ts";
import type { Changes, CountedTable, NewRow, OwnedTable } from "#worker/db/owned-tables.ts";
import { type Merged, pageOf, type Selection } from "#worker/db/selection.ts";
import { jsonLists } from "#worker/db/json-lists.ts";
import { accounts } from "#worker/db/schema.ts";
import {
  type Fields,
  read,
  readBoth,
  type Reader,
  readerOf,
  type RowOf,
  type Select,
} from "#worker/db/reads.ts";
import {
  columnsOf,
  from,
  ifNew,
  insert,
  insertEach,
  limited,
  list,
  nameOf,
  prepare,
  remove,
  update,
} from "#worker/db/statements.ts";

/**
 * Fields with subqueries about the account. A named function is called once for all accounts and its result is cached,
 * so it must depend on nothing else.
 */
export type FieldsOf<Of extends Fields> = (rows: AccountRows) => Of;

/** The cached results of these functions, for accounts and for tokens that are limited to some projects. */
const readersOfAll = new WeakMap<FieldsOf<Fields>, Reader>();
const readersOfSome = new WeakMap<FieldsOf<Fields>, Reader>();

/** Ids that no account and no project has. */
const standIn = {
  accountId: AccountId.parse(`acct_${"0".repeat(26)}`),
  projectIds: [ProjectId.parse(`proj_${"0".repeat(26)}`)],
};

/** A statement that changes rows of the account. Run it alone or together with others. */
class Write {
  readonly #statement: SQL;
  constructor(statement: SQL) {
    this.#statement = statement;
  }
  static statementOf(write: Write): SQL {
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
export class AccountRows {
  readonly accountId: AccountId;
  /** The projects that the caller can see; null: all. */
  readonly projectIds: readonly ProjectId[] | null;
  readonly #database: D1Database;

  /**
   * @param projectIds limits all statements to these projects, the rows that belong to them, the tokens and webhooks that
   * are limited to some of them, and the hooks of their repositories; null: no limit
   */
  constructor(database: D1Database, accountId: AccountId, projectIds: readonly ProjectId[] | null = null) {
    this.accountId = accountId;
    this.#database = database;
    this.projectIds = projectIds;
  }

  /** Whether the caller can see the project, if it exists. */
  sees(id: ProjectId): boolean {
    return this.projectIds?.includes(id) ?? true;
  }

  /** Reads `fields` of the account's rows in `table`. One round trip. */
  async select<const Of extends Fields>(fields: Of | FieldsOf<Of>, table: OwnedTable, selection: Selection) {
    return await read(this.#database, this.#select(fields, table, selection));
  }

  /** As `select`, for a condition that names a project or a hook, as for `firstNamed`. */
  async selectNamed<const Of extends Fields>(
    fields: Of | FieldsOf<Of>,
    table: OwnedTable,
    { where, orderBy = [], limit }: Selection,
  ): Promise<RowOf<Of>[]> {
    const rest = sql`${from(table, this.#named(table, where))}${pageOf(orderBy, limit)}`;
    return await read(this.#database, this.#reading(fields, rest));
  }

  /** Two selects in one round trip, each with the arguments of `select`. */
  async selectBoth<const Of extends Fields, const Other extends Fields>(
    one: readonly [Of | FieldsOf<Of>, OwnedTable, Selection],
    other: readonly [Other | FieldsOf<Other>, OwnedTable, Selection],
  ) {
    return await readBoth(this.#database, this.#select(...one), this.#select(...other));
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
    const stream = sql`stream`;
    // All ids and numbers are below this text. Without a bound, SQLite would choose other indexes.
    const first = next(stream, sql`${after ?? "~"}`);
    const order = isOldestFirst ? sql`nulls last` : sql`desc`;
    const page = sql`page (stream, at) as (select stream, ${first} from lists union all select stream, ${next(stream, sql`at`)} from page where at is not null order by 2 ${order}${limited(limit)})`;
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
    const isFound = this.#owned(table, and(sql`${key} = found.at`, where));
    // A cross join, because SQLite then reads its left table first.
    const rest = sql`from (${source}) as found cross join ${table} where ${isFound}${pageOf(orderBy, limit)}`;
    return await read(this.#database, this.#reading(fields, rest));
  }

  #select<const Of extends Fields>(
    fields: Of | FieldsOf<Of>,
    table: OwnedTable,
    { where, orderBy = [], limit }: Selection,
  ): Select<Of> {
    return this.#reading(fields, sql`${from(table, this.#owned(table, where))}${pageOf(orderBy, limit)}`);
  }

  #reading<const Of extends Fields>(fields: Of | FieldsOf<Of>, rest: SQL): Select<Of> {
    return { reader: typeof fields === "function" ? this.#readerOf(fields) : readerOf(fields), rest };
  }

  /** Makes the fields once for all accounts, with stand-ins for what differs between them. */
  #readerOf(fieldsOf: FieldsOf<Fields>): Reader {
    const known = this.projectIds === null ? readersOfAll : readersOfSome;
    const projectIds = this.projectIds === null ? null : standIn.projectIds;
    const reader =
      known.get(fieldsOf) ??
      readerOf(fieldsOf(new AccountRows(this.#database, standIn.accountId, projectIds)));
    known.set(fieldsOf, reader);
    const own = new Map<unknown, unknown>([
      [standIn.accountId, this.accountId],
      [JSON.stringify(standIn.projectIds), JSON.stringify(this.projectIds)],
    ]);
    return { ...reader, parameters: reader.parameters.map((one) => own.get(one) ?? one) };
  }

  /** A subquery that counts rows of the account, for the fields or the condition of another statement. */
  count(table: CountedTable, where?: SQL): SQL<number> {
    return this.#countWhere(table, this.#owned(table, where));
  }

  /** As `count`, but ignores the limit to some projects: for rules about the whole account. */
  countAll(table: OwnedTable, where?: SQL): SQL<number> {
    return this.#countWhere(table, and(eq(table.accountId, this.accountId), where));
  }

  #countWhere(table: CountedTable, where: SQL | undefined): SQL<number> {
    return sql<number>`(select count(*) ${from(table, where)})`;
  }

  /** A subquery for one value: `field` of the account's first matching row after `skipped` others, or `null`. */
  first<Value>(
    field: SQLiteColumn | SQL,
    table: OwnedTable,
    where: SQL | undefined,
    orderBy: SQL,
    skipped = 0,
  ): SQL<Value | null> {
    const rows = from(table, this.#owned(table, where));
    return sql<Value | null>`(select ${field} ${rows} order by ${orderBy}${limited(1, skipped)})`;
  }

  /**
   * As `first`, for a condition that names a project or an id: SQLite finds them by index instead of reading all rows of
   * the account.
   */
  firstNamed<Value>(
    field: SQLiteColumn | SQL,
    table: OwnedTable,
    where: SQL | undefined,
    orderBy: SQL,
  ): SQL<Value | null> {
    return sql<Value | null>`(select ${field} ${from(table, this.#named(table, where))} order by ${orderBy}${limited(1)})`;
  }

  /** A select of one column of the account's matching rows, for a condition or a list of another statement. */
  column(field: SQLiteColumn, table: OwnedTable, where?: SQL, limit?: number): SQL {
    const rows = sql`select ${field} ${from(table, this.#owned(table, where))}`;
    return limit === undefined ? rows : sql`${rows}${limited(limit)}`;
  }

  /** A field with a list of `item`, one for each matching row of the account. */
  list(item: SQL, table: OwnedTable, where: SQL | undefined): SQL {
    return this.#listWhere(item, table, this.#owned(table, where));
  }

  /** As `list`, for a condition that names a project, as for `firstNamed`. */
  listNamed(item: SQL, table: OwnedTable, where: SQL | undefined): SQL {
    return this.#listWhere(item, table, this.#named(table, where));
  }

  /** As `list`, but ignores the limit to some projects. */
  listAll(item: SQL, table: OwnedTable, where: SQL | undefined): SQL {
    return this.#listWhere(item, table, and(eq(table.accountId, this.accountId), where));
  }

  #listWhere(item: SQL, table: OwnedTable, where: SQL | undefined): SQL {
    return sql`json((select json_group_array(${item}) ${from(table, where)}))`;
  }

  /** A subquery for the highest number in a column of the account's rows, or 0, regardless of a limit to some projects. */
  highest(table: OwnedTable, number: SQLiteColumn): SQL<number> {
    const rows = from(table, eq(table.accountId, this.accountId));
    return sql<number>`(select coalesce(max(${number}), 0) ${rows})`;
  }

  /** Adds a row if `onlyIf` is true. Fails if another row has the same unique value. */
  insert<Table extends OwnedTable>(table: Table, row: NewRow<Table>, onlyIf: SQL = sql`true`): Write {
    return new Write(insert(table, this.#owning(row), onlyIf));
  }

  /** Adds a row, unless a row with its id exists: then the count is 0. */
  insertIfNew<Table extends OwnedTable>(table: Table, row: NewRow<Table>): Write {
    return new Write(ifNew(table, insert(table, this.#owning(row), sql`true`)));
  }

  /**
   * Adds rows in order. A row whose id the account already has replaces that row if its `newer` column is greater. Takes
   * one statement, or a few for very many rows (`jsonLists`).
   */
  upsert<Table extends OwnedTable>(
    table: Table,
    rows: readonly NewRow<Table>[],
    newer: SQLiteColumn,
  ): Write[] {
    const changes = columnsOf(table)
      .filter(([, column]) => column !== table.id && column !== table.accountId)
      .map(([, column]) => sql`${nameOf(column)} = excluded.${nameOf(column)}`);
    const isNewer = this.#owned(table, sql`${newer} < excluded.${nameOf(newer)}`);
    return this.#inserts(table, rows, sql`true`).map(
      (insertion) =>
        new Write(
          sql`${insertion} order by key on conflict (${nameOf(table.id)}) do update set ${list(changes)} where ${isNewer}`,
        ),
    );
  }

  /** Adds rows if `onlyIf` is true, in one statement or a few as for `upsert`. Fails if a unique value exists. */
  insertEach<Table extends OwnedTable>(table: Table, rows: readonly NewRow<Table>[], onlyIf: SQL): Write[] {
    return this.#inserts(table, rows, onlyIf).map((insertion) => new Write(insertion));
  }

  /** Adds rows, in one statement or a few as for `upsert`. Rows whose ids exist are skipped. */
  insertEachIfNew<Table extends OwnedTable>(table: Table, rows: readonly NewRow<Table>[]): Write[] {
    return this.#inserts(table, rows, sql`true`).map((insertion) => new Write(ifNew(table, insertion)));
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
    const at = columnsOf(table).findIndex(([, column]) => column === table.id);
    const isNew = sql`not exists (select 1 from ${table} as known where known."account_id" = ${this.accountId} and known.id = value ->> ${sql.raw(`${at}`)})`;
    const condition = sql`${onlyIf} and ${isNew}`;
    return this.#inserts(table, rows, condition, new Map([...computed, [number, next]])).map(
      (insertion) => new Write(ifNew(table, insertion)),
    );
  }

  update<Table extends OwnedTable>(table: Table, changes: Changes<Table>, where: SQL | undefined): Write {
    return new Write(update(table, changes, this.#owned(table, where)));
  }

  /** Changes the row of the account itself. */
  updateAccount(changes: SQLiteUpdateSetSource<typeof accounts>): Write {
    return new Write(update(accounts, changes, eq(accounts.id, this.accountId)));
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
      const given = sql`json_each(${json}) as given`;
      return new Write(update(table, changes, this.#named(table, where), given));
    });
  }

  /** Deletes rows. `where` must name ids or a project. */
  delete(table: CountedTable, where: SQL): Write {
    return new Write(remove(table, this.#named(table, where)));
  }

  /** Runs one write. @returns how many rows it changed */
  async run(write: Write): Promise<number> {
    const result = await this.#prepare(write).run();
    return result.meta.changes;
  }

  /** As `run`, and runs `more` in the same transaction. @returns what `column` has in each row that `write` changed */
  async runReturning(write: Write, column: SQLiteColumn, more: readonly Write[] = []): Promise<unknown[]> {
    const statement = sql`${Write.statementOf(write)} returning ${nameOf(column)} as value`;
    const [first, ...others] = [new Write(statement), ...more].map((one) => this.#prepare(one));
    if (first === undefined) return [];
    const [returned] =
      others.length === 0
        ? [await first.all<{ value: unknown }>()]
        : await this.#database.batch<{ value: unknown }>([first, ...others]);
    return (returned?.results ?? []).map(({ value }) => value);
  }

  /** Runs all writes in one transaction and one round trip. @returns how many rows each changed */
  async runTogether(writes: readonly Write[]): Promise<number[]> {
    if (writes.length === 0) return [];
    const results = await this.#database.batch(writes.map((write) => this.#prepare(write)));
    return results.map((result) => result.meta.changes);
  }

  #owned(table: CountedTable, where: SQL | undefined): SQL | undefined {
    return and(eq(table.accountId, this.accountId), inSight(table, this), where);
  }

  // The plus prevents SQLite from using the indexes of the account. It would prefer them to a list of ids, because it
  // cannot know that an account has many rows.
  #named(table: CountedTable, where: SQL | undefined): SQL | undefined {
    return and(sql`+${table.accountId} = ${this.accountId}`, inSight(table, this), where);
  }

  #owning<Table extends OwnedTable>(row: NewRow<Table>): Readonly<Record<string, unknown>> {
    return { ...row, accountId: this.accountId };
  }

  #inserts<Table extends OwnedTable>(
    table: Table,
    rows: readonly NewRow<Table>[],
    onlyIf: SQL,
    computed: ReadonlyMap<SQLiteColumn, SQL> = new Map(),
  ): SQL[] {
    return insertEach(
      table,
      rows.map((row) => this.#owning(row)),
      onlyIf,
      computed,
    );
  }

  #prepare(write: Write): D1PreparedStatement {
    return prepare(this.#database, Write.statementOf(write));
  }
}
