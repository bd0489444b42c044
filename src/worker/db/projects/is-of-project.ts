import { eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { AccountRows } from "#worker/db/account-rows.ts";
import { removedProjects } from "#worker/db/schema.ts";

/**
 * Whether the project of a row was not deleted: what belongs to a project is deleted bit by bit, and nobody may see it
 * meanwhile.
 */
export function isOfProject(rows: AccountRows, { projectId }: { readonly projectId: SQLiteColumn }): SQL {
  return sql`${rows.count(removedProjects, eq(removedProjects.id, projectId))} = 0`;
}
