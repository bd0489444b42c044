import { and, desc, eq, getTableColumns, sql } from "drizzle-orm";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { serverLocation } from "#worker/db/projects/server-location.ts";
import { deployments, projects } from "#worker/db/schema.ts";
import type { ServerLocation } from "#worker/objects/location.ts";

/** A project's row in D1. Times are Unix milliseconds. */
export type ProjectRecord = Omit<typeof projects.$inferSelect, "accountId">;

const { accountId: _owner, ...projectColumns } = getTableColumns(projects);

/** The fields of a ProjectRecord. */
export function projectFields(rows: AccountRows) {
  return { ...projectColumns, lastDeployAt: lastDeployAt(rows) };
}

/** When the latest deployment of the project in `projects` was requested. Its row has it only after the deployment ended. */
export function lastDeployAt(rows: AccountRows) {
  // The status is in the statement's text: with a parameter, SQLite would not use the partial index on it.
  const isBuilding = and(eq(deployments.projectId, projects.id), sql`${deployments.status} = 'building'`);
  const newest = desc(deployments.version);
  const building = rows.first<number>(deployments.createdAt, deployments, isBuilding, newest);
  return sql<number | null>`nullif(max(coalesce(${projects.lastDeployAt}, 0), coalesce(${building}, 0)), 0)`;
}

/** A project, and where its server is. */
export type LocatedProject = ProjectRecord & { readonly serverLocation: ServerLocation };

const nameColumn = { name: projects.name };

/** The account's project with this id; null if there is none. */
export async function findProject(rows: AccountRows, id: ProjectId): Promise<LocatedProject | null> {
  const [project] = await rows.select(placedFields, projects, { where: eq(projects.id, id), limit: 1 });
  return project ?? null;
}

/** The fields of a LocatedProject. */
export function placedFields(rows: AccountRows) {
  return { ...projectFields(rows), serverLocation: serverLocation(rows) };
}

/** The server of the account's project with this id, and where it is; null if there is no such project. */
export async function findProjectServer(
  rows: AccountRows,
  id: ProjectId,
): Promise<Pick<LocatedProject, "serverId" | "serverLocation"> | null> {
  const [project] = await rows.select(serverFields, projects, { where: eq(projects.id, id), limit: 1 });
  return project ?? null;
}

function serverFields(rows: AccountRows) {
  return { serverId: projects.serverId, serverLocation: serverLocation(rows) };
}

/** The name of the account's project with this id; null if there is none. */
export async function findProjectName(rows: AccountRows, id: ProjectId): Promise<string | null> {
  const where = eq(projects.id, id);
  const [project] = await rows.select(nameColumn, projects, { where, limit: 1 });
  return project?.name ?? null;
}
