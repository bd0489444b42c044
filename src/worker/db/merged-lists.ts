import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import type { OwnedTable } from "#worker/db/owned-tables.ts";
import type { Merged } from "#worker/db/selection.ts";

/** A table under another name (`aliasOf`), with the column by which its rows are sorted. */
type Others = OwnedTable & { readonly projectId: SQLiteColumn; readonly sequence: SQLiteColumn };

type Lists = Pick<Merged, "streams" | "next">;

/**
 * The numbered rows of one project, or of the projects that the caller can see: SQLite finds the newest one of each by
 * index. Null: neither limits them.
 */
export function byProject(
  rows: AccountRows,
  others: Others,
  projectId: ProjectId | undefined,
  matches: SQL | undefined,
): Lists | null {
  const visible = projectId === undefined ? rows.projectIds : [projectId].filter((id) => rows.sees(id));
  return visible === null ? null : byEach(rows, others, others.projectId, visible, matches);
}

/** The numbered rows with one of these values in a column. The table must have an index of the column and the number. */
export function byEach(
  rows: AccountRows,
  others: Others,
  column: SQLiteColumn,
  values: readonly string[],
  matches?: SQL,
): Lists {
  return {
    streams: sql`select value from json_each(${JSON.stringify(values)})`,
    next: (value, below) => {
      const where = and(eq(column, value), lt(others.sequence, below), matches);
      const newest = desc(others.sequence);
      return column === others.projectId
        ? rows.firstNamed(others.sequence, others, where, newest)
        : rows.first(others.sequence, others, where, newest);
    },
  };
}
