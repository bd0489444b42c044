import { removedProjects } from "#worker/db/project-tables.ts";
import { and, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deployments, projects, servers } from "#worker/db/schema.ts";
import type { ServerLocation } from "#worker/objects/location.ts";

/** Where a server's objects are created, for a statement about servers. */
export const locationOfServer = sql<ServerLocation>`coalesce(${servers.region}, ${servers.detectedRegion}, iif(${servers.enrolledAt} is null, 'pending', null))`;

/** Where the server of the project in `projects` is. @param server another server of the project */
export function serverLocation(
  rows: AccountRows,
  server: SQL<ServerId> | typeof projects.serverId = projects.serverId,
): SQL<ServerLocation> {
  return rows.first(locationOfServer, servers, eq(servers.id, server), sql`${servers.id}`);
}

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
  return await rows.find(placedFields, projects, id);
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
  return await rows.find(serverFields, projects, id);
}

function serverFields(rows: AccountRows) {
  return { serverId: projects.serverId, serverLocation: serverLocation(rows) };
}

/** The name of the account's project with this id; null if there is none. */
export async function findProjectName(rows: AccountRows, id: ProjectId): Promise<string | null> {
  return (await rows.find(nameColumn, projects, id))?.name ?? null;
}

/** `mayBeLive`: whether a deployment is live, or may become so without a further request. */
type ProjectToConfigure = { readonly project: ProjectRecord; readonly mayBeLive: boolean };

/** Reads a project, and whether there is something to configure. One D1 round trip. @returns null if there is no such project */
export async function findProjectToConfigure(
  rows: AccountRows,
  id: ProjectId,
): Promise<ProjectToConfigure | null> {
  const found = await rows.find(configuredFields, projects, id);
  if (found === null) return null;
  const { live, building, ...project } = found;
  return { project, mayBeLive: live + building > 0 };
}

function configuredFields(rows: AccountRows) {
  // Two counts, each of which SQLite answers with the partial index of that status.
  const having = (status: "live" | "building") =>
    rows.count(
      deployments,
      and(eq(deployments.projectId, projects.id), sql`${deployments.status} = ${sql.raw(`'${status}'`)}`),
    );
  return { ...projectFields(rows), live: having("live"), building: having("building") };
}

/**
 * Whether the project of a row was not deleted: what belongs to a project is deleted bit by bit, and nobody may see it
 * meanwhile.
 */
export function isOfProject(rows: AccountRows, { projectId }: { readonly projectId: SQLiteColumn }): SQL {
  return sql`${rows.count(removedProjects, eq(removedProjects.id, projectId))} = 0`;
}
