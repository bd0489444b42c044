import { and, eq, or, type SQL, sql } from "drizzle-orm";

import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deployments, projects } from "#worker/db/schema.ts";
import { isOneOf } from "#worker/db/json-lists.ts";

/** Whether the project in `projects` is on a server: it is its setting, or one of its deployments is live or building there. */
export function isPlacedOn(rows: AccountRows, serverId: ServerId): SQL | undefined {
  const isThere = (status: "live" | "building") => {
    // The status is in the statement's text: with a parameter, SQLite would not use the partial index on it.
    const isIn = sql`${deployments.status} = ${sql.raw(`'${status}'`)}`;
    const where = and(eq(deployments.projectId, projects.id), eq(deployments.serverId, serverId), isIn);
    return sql`${rows.first(deployments.id, deployments, where, sql`${deployments.version}`)} is not null`;
  };
  return or(eq(projects.serverId, serverId), isThere("live"), isThere("building"));
}

/** Which of the projects are on a server. */
export async function findPlacedProjects(
  rows: AccountRows,
  serverId: ServerId,
  projectIds: readonly ProjectId[],
): Promise<ProjectId[]> {
  const found = await rows.select({ id: projects.id }, projects, {
    where: and(isOneOf(projects.id, projectIds), isPlacedOn(rows, serverId)),
  });
  return found.map(({ id }) => id);
}
