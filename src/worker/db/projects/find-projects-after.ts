import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";

import type { ProjectId, AccountId } from "#contract/ids.ts";
import { projects } from "#worker/db/schema.ts";

/**
 * Projects of all accounts, sorted by id.
 * @param after the last id of the previous page; empty: from the start
 */
export async function findProjectsAfter(
  database: D1Database,
  after: ProjectId | "",
  limit: number,
): Promise<{ accountId: AccountId; projectId: ProjectId; repository: string }[]> {
  return await drizzle(database)
    .select({ accountId: projects.accountId, projectId: projects.id, repository: projects.repository })
    .from(projects)
    .where(sql`${projects.id} > ${after}`)
    .orderBy(projects.id)
    .limit(limit);
}
