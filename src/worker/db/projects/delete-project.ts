import { and, eq, notExists, sql } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { domains, projectServers, removedProjects } from "#worker/db/project-tables.ts";
import { deployments, projects } from "#worker/db/schema.ts";
import { freezes } from "#worker/db/push-tables.ts";
import { limited, qb } from "#worker/db/statements.ts";
import { commands, variableRevisions, variables } from "#worker/db/variable-tables.ts";

/** The tables in which a project can have very many rows. */
const LONG = [deployments, variables, variableRevisions, commands] as const;

/** The most rows that one statement deletes: D1 does nothing else in the meantime. */
const MAX_ROWS = 500;

/**
 * Deletes a project's row with its freezes, domains and servers, and its first deployments, variables and commands. From then on
 * nobody sees the others, which `restDeletion` deletes. Safe to repeat. The last write is as in `restDeletion`.
 */
export function projectDeletion(rows: AccountRows, id: ProjectId): Write[] {
  const ofProject = rows.column(freezes.id, freezes, eq(freezes.projectId, id));
  return [
    rows.insertIfNew(removedProjects, { id }),
    rows.delete(freezes, sql`${freezes.id} in (${ofProject})`),
    rows.delete(domains, eq(domains.projectId, id)),
    rows.delete(projectServers, eq(projectServers.projectId, id)),
    rows.delete(projects, eq(projects.id, id)),
    ...restDeletion(rows, id),
  ];
}

/**
 * Deletes some more rows of a project that was deleted. It has no effect on a project that an earlier state of the database
 * has brought back. The last write changes a row if nothing is left.
 */
export function restDeletion(rows: AccountRows, id: ProjectId): Write[] {
  const isRemoved = sql`${rows.count(removedProjects, eq(removedProjects.id, id))} = 1`;
  const first = (table: (typeof LONG)[number]) =>
    qb.select({ id: table.id }).from(table).where(eq(table.projectId, id)).getSQL();
  return [
    ...LONG.map((table) =>
      rows.delete(table, sql`${table.id} in (${first(table)}${limited(MAX_ROWS)}) and ${isRemoved}`),
    ),
    rows.delete(removedProjects, sql`${eq(removedProjects.id, id)} and ${hasNoRows}`),
  ];
}

/** As `restDeletion`, for all deleted projects of the installation. @param most the most rows that a statement deletes */
export function orphanDeletion(db: DrizzleD1Database, most: number) {
  // A cross join, because SQLite then reads its left table first.
  const some = (table: (typeof LONG)[number]) =>
    sql`select ${table.id} from ${removedProjects} cross join ${table} where ${table.projectId} = ${removedProjects.id}${limited(most)}`;
  const deletion = (table: (typeof LONG)[number]) =>
    db.delete(table).where(sql`${table.id} in (${some(table)})`);
  return {
    orphans: deletion(deployments),
    orphanVariables: deletion(variables),
    orphanRevisions: deletion(variableRevisions),
    orphanCommands: deletion(commands),
    removedProjects: db.delete(removedProjects).where(hasNoRows),
  };
}

const hasNoRows = and(
  ...LONG.map((table) =>
    notExists(qb.select({ id: table.id }).from(table).where(eq(table.projectId, removedProjects.id))),
  ),
);
