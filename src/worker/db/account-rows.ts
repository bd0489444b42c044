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

/** A whole row as callers write it: AccountRows itself adds whose it is. */
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

/** A statement that changes rows of the account, to be run alone or together with others. */
class Write {
  readonly #statement: SQL;
  constructor(statement: SQL) {
    this.#statement = statement;
  }
  static statementOf(write: Write): SQL {
    return write.#statement;
  }
}
// The type alone: only AccountRows can make one.
export type { Write };

/** Drizzle leaves a negative limit out of the statement. */
const NO_LIMIT = -1;

const dialect = new SQLiteAsyncDialect();

/**
 * The rows of one account, and the only way to them: every statement made here says `account_id = ?` by itself,
 * and what could make one that does not is private. Requests and Durable Objects both go through it.
 *
 * A statement that fails throws D1's error; `uniqueViolation` reads it.
 */
export class AccountRows {
  readonly accountId: AccountId;
  readonly #database: D1Database;
  readonly #drizzle: DrizzleD1Database;
  readonly #projectIds: readonly ProjectId[] | null;

  /**
   * @param projectIds leaves all but these projects, what belongs to them and the tokens that are limited to some of
   * them out of sight; null: no such limit
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
    // Each changes the query in place, and none of them runs it; chained, they would lose the type of the fields.
    void query.where(this.#owned(table, where));
    void query.orderBy(...orderBy);
    void query.limit(limit);
    return await query;
  }

  /** A subquery that counts rows of the account, to stand among the fields or in the condition of another one. */
  count(table: OwnedTable, where?: SQL): SQL<number> {
    const query = this.#drizzle
      .select({ count: sql`count(*)` })
      .from(table)
      .where(this.#owned(table, where));
    return sql<number>`${query}`;
  }

  /** The same for rows out of sight too: what a rule for the whole account is held against. */
  countAll(table: OwnedTable, where?: SQL): SQL<number> {
    const query = this.#drizzle
      .select({ count: sql`count(*)` })
      .from(table)
      .where(and(eq(table.accountId, this.accountId), where));
    return sql<number>`${query}`;
  }

  /** A subquery for one value: `field` of the first row of the account that fits, `null` without one. */
  first<Value>(
    field: SQLiteColumn,
    table: OwnedTable,
    where: SQL | undefined,
    orderBy: SQL,
  ): SQL<Value | null> {
    const rows = this.#drizzle.select({ field }).from(table).where(this.#owned(table, where));
    return sql<Value | null>`${rows.orderBy(orderBy).limit(1)}`;
  }

  /** Adds a row if `onlyIf` holds. It fails where another row has the same unique value. */
  insert<Table extends OwnedTable>(table: Table, row: NewRow<Table>, onlyIf: SQL = sql`true`): Write {
    return new Write(this.#insertInto(table, row, onlyIf));
  }

  /** Adds a row, unless one with its id is there; the count of 0 says so. */
  insertIfNew<Table extends OwnedTable>(table: Table, row: NewRow<Table>): Write {
    const insert = this.#insertInto(table, row, sql`true`);
    return new Write(sql`${insert} on conflict (${nameOf(table.id)}) do nothing`);
  }

  /**
   * Adds rows in their order. A row whose id the account has already overwrites that one if the `newer` column holds
   * less there. However many they are, they are one statement, or few (`jsonLists`).
   */
  upsert<Table extends OwnedTable>(
    table: Table,
    rows: readonly NewRow<Table>[],
    newer: SQLiteColumn,
  ): Write[] {
    const columns = columnsOf(table);
    const names = columns.map(([, column]) => nameOf(column));
    const cells = columns.map((_, at) => sql`value ->> ${sql.raw(`${at}`)}`);
    const changes = columns
      .filter(([, column]) => column !== table.id && column !== table.accountId)
      .map(([, column]) => sql`${nameOf(column)} = excluded.${nameOf(column)}`);
    return jsonLists(rows.map((row) => this.#storedCells(table, row))).map(
      (json) =>
        new Write(
          sql`insert into ${table} (${list(names)}) select ${list(cells)} from json_each(${json}) where true order by key on conflict (${nameOf(table.id)}) do update set ${list(changes)} where ${this.#owned(table, sql`${newer} < excluded.${nameOf(newer)}`)}`,
        ),
    );
  }

  update<Table extends OwnedTable>(table: Table, changes: Changes<Table>, where: SQL | undefined): Write {
    return new Write(this.#drizzle.update(table).set(changes).where(this.#owned(table, where)).getSQL());
  }

  /**
   * Changes rows each in its own way: `changes` and `where` are asked for each of the values, which they see as
   * `given.value`. One statement, or few, as with `upsert`.
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

  /** Runs one write. Returns how many rows it changed. */
  async run(write: Write): Promise<number> {
    const result = await this.#prepare(write).run();
    return result.meta.changes;
  }

  /** Runs all the writes or, if one fails, none: one transaction, one round trip. */
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
    // One parameter, however many projects: D1 takes no more than 100.
    const projectIds = sql`(select value from json_each(${JSON.stringify(this.#projectIds)}))`;
    if (table === tokens)
      return sql`${tokens.projectIds} is not null and not exists (select 1 from json_each(${tokens.projectIds}) where value not in ${projectIds})`;
    const project = "projectId" in table ? table.projectId : table === projects ? projects.id : null;
    return project === null ? undefined : sql`${project} in ${projectIds}`;
  }

  // `insert … select` rather than `values`, because only a select can have a condition. SQLite needs its `where` to
  // tell an upsert's ON from a join's (lang_upsert.html, "Parsing Ambiguity").
  #insertInto<Table extends OwnedTable>(table: Table, row: NewRow<Table>, onlyIf: SQL): SQL {
    const values = new Map<string, unknown>(Object.entries(row)).set("accountId", this.accountId);
    const columns = columnsOf(table);
    const cells = columns.map(([key, column]) => sql`${sql.param(values.get(key) ?? null, column)}`);
    return sql`insert into ${table} (${list(columns.map(([, column]) => nameOf(column)))}) select ${list(cells)} where ${onlyIf}`;
  }

  /** A row's cells in the order of the table's columns, as SQLite stores them. */
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
