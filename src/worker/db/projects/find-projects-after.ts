import { sql } from "drizzle-orm";

import type { ProjectId, AccountId } from "#contract/ids.ts";
import { projects } from "#worker/db/schema.ts";
import { from, read, select } from "#worker/db/statements.ts";

/**
 * Projects of all accounts, sorted by id.
 * @param after the last id of the previous page; empty: from the start
 */
export async function findProjectsAfter(
  database: D1Database,
  after: ProjectId | "",
  limit: number,
): Promise<{ accountId: AccountId; projectId: ProjectId; repository: string }[]> {
  const fields = { accountId: projects.accountId, projectId: projects.id, repository: projects.repository };
  const page = sql`${from(projects, sql`${projects.id} > ${after}`)} order by ${projects.id} limit ${limit}`;
  return await read(database, select(fields, page));
}
