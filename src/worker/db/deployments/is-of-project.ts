import { eq, type SQL, sql } from "drizzle-orm";

import type { AccountRows } from "#worker/db/account-rows.ts";
import { deployments, removedProjects } from "#worker/db/schema.ts";

/** Whether the deployment's project was not deleted: its deployments are deleted bit by bit, and nobody may see them meanwhile. */
export function isOfProject(rows: AccountRows): SQL {
  return sql`${rows.count(removedProjects, eq(removedProjects.id, deployments.projectId))} = 0`;
}
