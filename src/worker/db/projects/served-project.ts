import { and, eq, sql } from "drizzle-orm";

import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { type LocatedProject, projectFields, serverLocation } from "#worker/db/projects/find-project.ts";
import { hasConfirmed } from "#worker/db/projects/project-servers.ts";
import { deployments, projects, servers } from "#worker/db/schema.ts";

export type ServedProject = LocatedProject & {
  /** When its server last reported `serving…` and `reportedProcesses` unchanged; null: not since `servingCheckedAt`. */
  readonly confirmedAt: number | null;
};

/**
 * A project with the server that serves it: until the first deployment after a move is live, that is the earlier one.
 * Null if the account has no such project.
 */
export async function findServedProject(rows: AccountRows, id: ProjectId): Promise<ServedProject | null> {
  return await rows.find(servedFields, projects, id);
}

function servedFields(rows: AccountRows) {
  const serverId = servingServer(rows);
  return {
    ...projectFields(rows),
    serverId,
    serverLocation: serverLocation(rows, serverId),
    confirmedAt: confirmedAt(rows),
  };
}

/**
 * When the server of the project in `projects` last reported what `projects` has of it. Null if it did not since that
 * was written: then `servingCheckedAt` counts.
 */
export function confirmedAt(rows: AccountRows) {
  const isConfirmed = and(eq(servers.id, servingServer(rows)), hasConfirmed(projects));
  return rows.first<number>(servers.reportsCheckedAt, servers, isConfirmed, sql`${servers.id}`);
}

/** Since when the server of the project in `projects` is connected; null: it is not. */
export function servingConnectedAt(rows: AccountRows) {
  return rows.first<number>(
    servers.connectedAt,
    servers,
    eq(servers.id, servingServer(rows)),
    sql`${servers.id}`,
  );
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
