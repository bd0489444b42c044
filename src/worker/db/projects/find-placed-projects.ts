import { and, eq, or, sql } from "drizzle-orm";

import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deployments, projects } from "#worker/db/schema.ts";
import { isOneOf } from "#worker/db/json-lists.ts";

/** Which of the projects are on a server: it is their setting, or one of their deployments is live or building there. */
export async function findPlacedProjects(
  rows: AccountRows,
  serverId: ServerId,
  projectIds: readonly ProjectId[],
): Promise<ProjectId[]> {
  const isThere = (status: "live" | "building") => {
    // The status stands in the statement, not in a parameter. Only then does SQLite use the partial index on it.
    const isIn = sql`${deployments.status} = ${sql.raw(`'${status}'`)}`;
    const where = and(eq(deployments.projectId, projects.id), eq(deployments.serverId, serverId), isIn);
    return sql`${rows.first(deployments.id, deployments, where, sql`${deployments.version}`)} is not null`;
  };
  const isPlaced = or(eq(projects.serverId, serverId), isThere("live"), isThere("building"));
  const found = await rows.select({ id: projects.id }, projects, {
    where: and(isOneOf(projects.id, projectIds), isPlaced),
  });
  return found.map(({ id }) => id);
}
