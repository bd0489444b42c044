import { and, eq, getTableColumns, sql, type SQL } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import {
  SQLiteAsyncDialect,
  type SelectedFields,
  type SQLiteColumn,
  type SQLiteTable,
  type SQLiteUpdateSetSource,
} from "drizzle-orm/sqlite-core";

import type { AccountId, ProjectId } from "#contract/ids.ts";
import { jsonLists } from "#worker/db/json-lists.ts";
import { type idempotencyKeys, projects, type servers, tokens } from "#worker/db/schema.ts";

type TableOfProjects = SQLiteTable & {
  readonly id: SQLiteColumn;
  readonly accountId: SQLiteColumn;
  readonly projectId: SQLiteColumn;
};

/** A table, or an alias of one, whose rows each belong to one account. */
export type OwnedTable =
  | typeof idempotencyKeys
  | typeof projects
  | typeof servers
  | typeof tokens
  | TableOfProjects;

/** A new row without its account, which AccountRows adds. */
export type NewRow<Table extends OwnedTable> = Omit<Table["$inferInsert"], "accountId">;

type Changes<Table extends OwnedTable> = SQLiteUpdateSetSource<Table> & {
  readonly id?: never;
  readonly accountId?: never;
};

export type Selection = {
  readonly where?: SQL | undefined;
  readonly orderBy?: readonly SQL[];
  readonly limit?: number;
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

/** Drizzle omits a negative limit from the statement. */
const NO_LIMIT = -1;

const dialect = new SQLiteAsyncDialect();

/**
 * The only access to the rows of an account: every statement that it builds contains `account_id = ?`, and everything
 * that could build another statement is private. Requests and Durable Objects use it.
 *
 * A failed statement throws D1's error. `uniqueViolation` reads it.
 */
export class AccountRows {
  readonly accountId: AccountId;
  readonly #database: D1Database;
  readonly #drizzle: DrizzleD1Database;
  readonly #projectIds: readonly ProjectId[] | null;

  /**
   * @param projectIds limits all statements to these projects, the rows that belong to them, and the tokens that are
   * limited to some of them; null: no limit
   */
  constructor(database: D1Database, accountId: AccountId, projectIds: readonly ProjectId[] | null = null) {
    this.accountId = accountId;
    this.#database = database;
    this.#drizzle = drizzle(database);
    this.#projectIds = projectIds;
  }

  /** Reads `fields` of the account's rows in `table`. One round trip. */
  async select<Fields extends SelectedFields>(
    fields: Fields,
    table: OwnedTable,
    { where, orderBy = [], limit = NO_LIMIT }: Selection,
  ) {
    const query = this.#drizzle.select(fields).from(table);
    // Each call changes the query in place without running it. Chained calls would lose the type of the fields.
    void query.where(this.#owned(table, where));
    void query.orderBy(...orderBy);
    void query.limit(limit);
    return await query;
  }

  /** A subquery that counts rows of the account, for the fields or the condition of another statement. */
  count(table: OwnedTable, where?: SQL): SQL<number> {
    return this.#countWhere(table, this.#owned(table, where));
  }

  /** As `count`, but ignores the limit to some projects: for rules about the whole account. */
  countAll(table: OwnedTable, where?: SQL): SQL<number> {
    return this.#countWhere(table, and(eq(table.accountId, this.accountId), where));
  }

  #countWhere(table: OwnedTable, where: SQL | undefined): SQL<number> {
    const rows = this.#drizzle.select({ count: sql`count(*)` }).from(table);
    return sql<number>`${rows.where(where)}`;
  }

  /** A subquery for one value: `field` of the account's first matching row after `skipped` others, or `null`. */
  first<Value>(
    field: SQLiteColumn,
    table: OwnedTable,
    where: SQL | undefined,
    orderBy: SQL,
    skipped = 0,
  ): SQL<Value | null> {
    const rows = this.#drizzle.select({ field }).from(table).where(this.#owned(table, where));
    return sql<Value | null>`${rows.orderBy(orderBy).limit(1).offset(skipped)}`;
  }

  /** A subquery for a JSON list of `item`, one for each matching row of the account. */
  list(item: SQL, table: OwnedTable, where: SQL | undefined): SQL<string> {
    const rows = this.#drizzle.select({ items: sql`json_group_array(${item})` }).from(table);
    return sql<string>`${rows.where(this.#owned(table, where))}`;
  }

  /** Adds a row if `onlyIf` is true. Fails if another row has the same unique value. */
  insert<Table extends OwnedTable>(table: Table, row: NewRow<Table>, onlyIf: SQL = sql`true`): Write {
    return new Write(this.#insertInto(table, row, onlyIf));
  }

  /** Adds a row, unless a row with its id exists: then the count is 0. */
  insertIfNew<Table extends OwnedTable>(table: Table, row: NewRow<Table>): Write {
    const insert = this.#insertInto(table, row, sql`true`);
    return new Write(sql`${insert} on conflict (${nameOf(table.id)}) do nothing`);
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
    return this.#insertsInto(table, rows, sql`true`).map(
      (insert) =>
        new Write(
          sql`${insert} order by key on conflict (${nameOf(table.id)}) do update set ${list(changes)} where ${isNewer}`,
        ),
    );
  }

  /** Adds rows if `onlyIf` is true, in one statement or a few as for `upsert`. Fails if a unique value exists. */
  insertEach<Table extends OwnedTable>(table: Table, rows: readonly NewRow<Table>[], onlyIf: SQL): Write[] {
    return this.#insertsInto(table, rows, onlyIf).map((insert) => new Write(insert));
  }

  update<Table extends OwnedTable>(table: Table, changes: Changes<Table>, where: SQL | undefined): Write {
    return new Write(this.#drizzle.update(table).set(changes).where(this.#owned(table, where)).getSQL());
  }

  /**
   * Changes several rows, each differently: `changes` and `where` are evaluated for each of the values and refer to it as
   * `given.value`. One statement or a few, as for `upsert`.
   */
  updateEach<Table extends OwnedTable>(
    table: Table,
    values: readonly unknown[],
    changes: Changes<Table>,
    where: SQL | undefined,
  ): Write[] {
    return jsonLists(values).map((json) => {
      const update = this.#drizzle
        .update(table)
        .set(changes)
        .from(sql`json_each(${json}) as given`);
      return new Write(update.where(this.#owned(table, where)).getSQL());
    });
  }

  delete(table: OwnedTable, where: SQL): Write {
    return new Write(this.#drizzle.delete(table).where(this.#owned(table, where)).getSQL());
  }

  /** Runs one write. @returns how many rows it changed */
  async run(write: Write): Promise<number> {
    const result = await this.#prepare(write).run();
    return result.meta.changes;
  }

  /** As `run`. @returns what `column` has in each row that it changed */
  async runReturning(write: Write, column: SQLiteColumn): Promise<unknown[]> {
    const statement = sql`${Write.statementOf(write)} returning ${nameOf(column)} as value`;
    const { results } = await this.#prepare(new Write(statement)).all<{ value: unknown }>();
    return results.map(({ value }) => value);
  }

  /** Runs all writes in one transaction and one round trip. @returns how many rows each changed */
  async runTogether(writes: readonly Write[]): Promise<number[]> {
    if (writes.length === 0) return [];
    const results = await this.#database.batch(writes.map((write) => this.#prepare(write)));
    return results.map((result) => result.meta.changes);
  }

  #owned(table: OwnedTable, where: SQL | undefined): SQL | undefined {
    return and(eq(table.accountId, this.accountId), this.#inSight(table), where);
  }

  #inSight(table: OwnedTable): SQL | undefined {
    if (this.#projectIds === null) return undefined;
    // One parameter for all projects: D1 allows at most 100 parameters.
    const projectIds = sql`(select value from json_each(${JSON.stringify(this.#projectIds)}))`;
    if (table === tokens)
      return sql`${tokens.projectIds} is not null and not exists (select 1 from json_each(${tokens.projectIds}) where value not in ${projectIds})`;
    const project = "projectId" in table ? table.projectId : table === projects ? projects.id : null;
    return project === null ? undefined : sql`${project} in ${projectIds}`;
  }

  // `insert … select` instead of `values`, because only a select can have a condition. SQLite needs the `where` to
  // distinguish an upsert's ON from a join's (lang_upsert.html, "Parsing Ambiguity").
  #insertInto<Table extends OwnedTable>(table: Table, row: NewRow<Table>, onlyIf: SQL): SQL {
    const columns = columnsOf(table);
    const cells = this.#storedCells(table, row).map((value) => sql`${value}`);
    return sql`insert into ${table} (${list(columns.map(([, column]) => nameOf(column)))}) select ${list(cells)} where ${onlyIf}`;
  }

  #insertsInto<Table extends OwnedTable>(table: Table, rows: readonly NewRow<Table>[], onlyIf: SQL): SQL[] {
    const columns = columnsOf(table);
    const names = columns.map(([, column]) => nameOf(column));
    const cells = columns.map((_, at) => sql`value ->> ${sql.raw(`${at}`)}`);
    return jsonLists(rows.map((row) => this.#storedCells(table, row))).map(
      (json) =>
        sql`insert into ${table} (${list(names)}) select ${list(cells)} from json_each(${json}) where ${onlyIf}`,
    );
  }

  /** A row's stored values, in the order of the table's columns. */
  #storedCells<Table extends OwnedTable>(table: Table, row: NewRow<Table>): unknown[] {
    const values = new Map<string, unknown>(Object.entries(row)).set("accountId", this.accountId);
    return columnsOf(table).map(([key, column]) => {
      const value = values.get(key) ?? null;
      return value === null ? null : column.mapToDriverValue(value);
    });
  }

  #prepare(write: Write): D1PreparedStatement {
    const query = dialect.sqlToQuery(Write.statementOf(write));
    return this.#database.prepare(query.sql).bind(...query.params);
  }
}

function columnsOf(table: OwnedTable): [string, SQLiteColumn][] {
  return Object.entries(getTableColumns<SQLiteTable>(table));
}

const nameOf = (column: SQLiteColumn): SQL => sql`${sql.identifier(column.name)}`;

const list = (parts: SQL[]): SQL => sql.join(parts, sql`, `);
