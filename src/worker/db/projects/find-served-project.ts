import { and, eq, sql } from "drizzle-orm";

import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { projectColumns, type ProjectRecord } from "#worker/db/projects/find-project.ts";
import { deployments, projects } from "#worker/db/schema.ts";

/**
 * A project with the server that serves it: until the first deployment after a move is live, that is the earlier one.
 * Null if the account has no such project.
 */
export async function findServedProject(rows: AccountRows, id: ProjectId): Promise<ProjectRecord | null> {
  const fields = { ...projectColumns, serverId: servingServer(rows) };
  const [project] = await rows.select(fields, projects, { where: eq(projects.id, id), limit: 1 });
  return project ?? null;
}

/** The server on which the project in `projects` is live, or will be deployed if it is not live anywhere. */
export function servingServer(rows: AccountRows) {
  return sql<ServerId>`coalesce(${liveServer(rows, projects.id)}, ${projects.serverId})`;
}

/** The same, in a statement about other rows of a project. */
export function servingServerOf(rows: AccountRows, id: ProjectId) {
  const placed = rows.first<ServerId>(projects.serverId, projects, eq(projects.id, id), sql`${projects.id}`);
  return sql<ServerId>`coalesce(${liveServer(rows, id)}, ${placed})`;
}

function liveServer(rows: AccountRows, id: ProjectId | typeof projects.id) {
  const isLive = and(eq(deployments.projectId, id), sql`${deployments.status} = 'live'`);
  return rows.first<ServerId>(deployments.serverId, deployments, isLive, sql`${deployments.version}`);
}
