import { and, asc, desc, gt, lt, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import type { OwnedTable } from "#worker/db/owned-tables.ts";
import type { Merged } from "#worker/db/reads.ts";
import { list } from "#worker/db/statements.ts";

/** A table under another name (`aliasOf`), with the column by which its rows are sorted. */
type Others = OwnedTable & { readonly projectId: SQLiteColumn; readonly sequence: SQLiteColumn };

/** A column, and the values that it may have. */
type Given = readonly [SQLiteColumn, readonly string[]];

/** The projects whose rows are wanted: the given project, or the projects that the caller can see. Null: all. */
export function wantedProjects(rows: AccountRows, projectId: ProjectId | undefined) {
  return projectId === undefined ? rows.projectIds : [projectId].filter((id) => rows.sees(id));
}

/**
 * The numbered rows that have one of the given values in each of these columns: SQLite finds the newest one of each by
 * index. The table must have an index of the columns and the number.
 * @param isOldestFirst finds the oldest one of each instead
 */
export function byEach(
  rows: AccountRows,
  others: Others,
  given: readonly Given[],
  {
    matches,
    isOldestFirst = false,
  }: { readonly matches?: SQL | undefined; readonly isOldestFirst?: boolean } = {},
): Omit<Merged, "key"> {
  const values = given.map(([, some], at) => sql`json_each(${JSON.stringify(some)}) ${nameAt(at)}`);
  const { sequence } = others;
  // By name, because an alias makes a new column for each access.
  const isOfProject = given.some(([column]) => column.name === others.projectId.name);
  return {
    streams: sql`select json_array(${list(given.map((_, at) => sql`${nameAt(at)}.value`))}) from ${list(values)}`,
    next: (stream, bound) => {
      const has = given.map(([column], at) => sql`${column} = ${stream} ->> ${sql.raw(`${at}`)}`);
      // One bound only: with a second one, SQLite takes an index of fewer columns.
      const where = and(...has, isOldestFirst ? gt(sequence, bound) : lt(sequence, bound), matches);
      const order = isOldestFirst ? asc(sequence) : desc(sequence);
      return isOfProject
        ? rows.firstNamed(sequence, others, where, order)
        : rows.first(sequence, others, where, order);
    },
    isOldestFirst,
  };
}

const nameAt = (at: number): SQL => sql.raw(`given${at}`);
