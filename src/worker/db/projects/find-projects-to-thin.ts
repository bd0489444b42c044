import { sql } from "drizzle-orm";

import type { ProjectId } from "#contract/ids.ts";
import { KEPT_DEPLOYMENTS } from "#worker/db/deployments/old-deployments.ts";
import { accounts, deployments, projects } from "#worker/db/schema.ts";
import { read, select } from "#worker/db/reads.ts";
import { limited } from "#worker/db/statements.ts";

/**
 * Projects whose account removes old deployments, and that may have more of them than always stay, sorted by id. Reads a
 * few rows of each project by index.
 * @param after the last id of the previous page; empty: from the start
 */
export async function findProjectsToThin(
  database: D1Database,
  after: ProjectId | "",
  limit: number,
): Promise<{ projectId: ProjectId; retentionDays: number }[]> {
  const days = sql<number>`${accounts.deploymentRetentionDays}`;
  const hasMany = sql`exists (select 1 from ${deployments} where ${deployments.projectId} = ${projects.id} and ${deployments.version} > ${KEPT_DEPLOYMENTS})`;
  const join = sql`${accounts.id} = ${projects.accountId} and ${days} is not null`;
  return await read(
    database,
    select(
      { projectId: projects.id, retentionDays: days },
      sql`from ${projects} join ${accounts} on ${join} where ${projects.id} > ${after} and ${hasMany} order by ${projects.id}${limited(limit)}`,
    ),
  );
}
