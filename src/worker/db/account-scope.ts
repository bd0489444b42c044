import { and, eq, sql, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { AccountId, ProjectId } from "#contract/ids.ts";
import { type CountedTable, inSight, type OwnedTable } from "#worker/db/owned-tables.ts";
import { columnRows, countRows, firstRow, highestIn, limited, listRows } from "#worker/db/statements.ts";

/** Subqueries about the rows of an account, each with the condition for them. */
export class AccountScope {
  readonly accountId: AccountId;
  /** The projects that the caller can see; null: all. */
  readonly projectIds: readonly ProjectId[] | null;

  /** @param projectIds as for AccountRows */
  constructor(accountId: AccountId, projectIds: readonly ProjectId[] | null) {
    this.accountId = accountId;
    this.projectIds = projectIds;
  }

  /** Whether the caller can see the project, if it exists. */
  sees(id: ProjectId): boolean {
    return this.projectIds?.includes(id) ?? true;
  }

  /** A subquery that counts rows of the account, for the fields or the condition of another statement. */
  count(table: CountedTable, where?: SQL): SQL<number> {
    return countRows(table, this.owned(table, where));
  }

  /** As `count`, but ignores the limit to some projects: for rules about the whole account. */
  countAll(table: OwnedTable, where?: SQL): SQL<number> {
    return countRows(table, and(eq(table.accountId, this.accountId), where));
  }

  /** A subquery for one value: `field` of the account's first matching row after `skipped` others, or `null`. */
  first<Value>(
    field: SQLiteColumn | SQL,
    table: OwnedTable,
    where: SQL | undefined,
    orderBy: SQL,
    skipped = 0,
  ): SQL<Value | null> {
    return firstRow(field, table, this.owned(table, where), orderBy, skipped);
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
    return firstRow(field, table, this.named(table, where), orderBy);
  }

  /** A select of one column of the account's matching rows, for a condition or a list of another statement. */
  column(field: SQLiteColumn, table: OwnedTable, where?: SQL, limit?: number): SQL {
    const rows = columnRows(field, table, this.owned(table, where));
    return limit === undefined ? rows : sql`${rows}${limited(limit)}`;
  }

  /** A field with a list of `item`, one for each matching row of the account. */
  list(item: SQL, table: OwnedTable, where: SQL | undefined): SQL {
    return listRows(item, table, this.owned(table, where));
  }

  /** As `list`, for a condition that names a project, as for `firstNamed`. */
  listNamed(item: SQL, table: OwnedTable, where: SQL | undefined): SQL {
    return listRows(item, table, this.named(table, where));
  }

  /** As `list`, but ignores the limit to some projects. */
  listAll(item: SQL, table: OwnedTable, where: SQL | undefined): SQL {
    return listRows(item, table, and(eq(table.accountId, this.accountId), where));
  }

  /** A subquery for the highest number in a column of the account's rows, or 0, regardless of a limit to some projects. */
  highest(table: OwnedTable, number: SQLiteColumn): SQL<number> {
    return highestIn(table, number, eq(table.accountId, this.accountId));
  }

  protected owned(table: CountedTable, where: SQL | undefined): SQL | undefined {
    return and(eq(table.accountId, this.accountId), inSight(table, this), where);
  }

  // The plus prevents SQLite from using the indexes of the account. It would prefer them to a list of ids, because it
  // cannot know that an account has many rows.
  protected named(table: CountedTable, where: SQL | undefined): SQL | undefined {
    return and(sql`+${table.accountId} = ${this.accountId}`, inSight(table, this), where);
  }
}
