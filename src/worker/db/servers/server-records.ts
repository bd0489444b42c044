import { eq, sql, and } from "drizzle-orm";

import type { AccountRows, NewRow } from "#worker/db/account-rows.ts";
import { projects, servers, deployments } from "#worker/db/schema.ts";
import type { ServerId } from "#contract/ids.ts";
import { newestFirst, type Position } from "#worker/db/newest-first.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/limits.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";

const columns = {
  id: servers.id,
  name: servers.name,
  ip: servers.ip,
  createdAt: servers.createdAt,
  enrolledAt: servers.enrolledAt,
  connectedAt: servers.connectedAt,
  lastSeenAt: servers.lastSeenAt,
  connectedMsByDay: servers.connectedMsByDay,
  agentVersion: servers.agentVersion,
  agentMismatch: servers.agentMismatch,
  diskTotalBytes: servers.diskTotalBytes,
  diskFreeBytes: servers.diskFreeBytes,
};

/** A server without its secrets' hashes, and how many projects it hosts. Times are Unix milliseconds. */
export type ServerReading = Pick<typeof servers.$inferSelect, keyof typeof columns> & {
  readonly apps: number;
};

/** The fields of a ServerReading. */
function serverFields(rows: AccountRows) {
  return { ...columns, apps: rows.count(projects, eq(projects.serverId, servers.id)) };
}

/** The account's server with this id; null if there is none. */
export async function findServer(rows: AccountRows, id: ServerId): Promise<ServerReading | null> {
  const [server] = await rows.select(serverFields(rows), servers, { where: eq(servers.id, id), limit: 1 });
  return server ?? null;
}

/** The account's servers, newest first. */
export async function listServers(rows: AccountRows, position: Position<ServerId>): Promise<ServerReading[]> {
  return rows.select(serverFields(rows), servers, newestFirst(servers.id, position));
}

/** `added_before`: a server with this id or this enrolment token exists. */
type ServerInsertion = "inserted" | "added_before" | "name_taken" | "too_many";

/** Adds a server if its name is free in the account. */
export async function insertServer(
  rows: AccountRows,
  server: NewRow<typeof servers>,
): Promise<ServerInsertion> {
  const onlyIf = sql`${rows.count(servers)} < ${MAX_PER_ACCOUNT}`;
  try {
    return (await rows.run(rows.insert(servers, server, onlyIf))) === 1 ? "inserted" : "too_many";
  } catch (error) {
    const violated = uniqueViolation(error);
    if (violated === "servers.id" || violated === "servers.enrollment_hash") return "added_before";
    if (violated === "servers.account_id, servers.name") return "name_taken";
    throw error;
  }
}

/** Undefined fields keep their values. */
type ServerChanges = { readonly name?: string | undefined; readonly ip?: string | undefined };

type ServerUpdate = "updated" | "name_taken" | "no_such_server";

/** Changes a server's settings. The database's unique constraint decides whether the name is free. */
export async function updateServer(
  rows: AccountRows,
  id: ServerId,
  changes: ServerChanges,
): Promise<ServerUpdate> {
  try {
    const count = await rows.run(rows.update(servers, changes, eq(servers.id, id)));
    return count === 1 ? "updated" : "no_such_server";
  } catch (error) {
    if (uniqueViolation(error) === "servers.account_id, servers.name") return "name_taken";
    throw error;
  }
}

type ServerDeletion = "deleted" | "in_use" | "no_such_server";

/**
 * Deletes a server with its agent's credential, unless a project is on it, or is still live on it after a move.
 * One statement checks and deletes, just as the statement that adds a project checks for its server. So if both run at
 * the same time, one of them fails.
 */
export async function deleteServer(rows: AccountRows, id: ServerId): Promise<ServerDeletion> {
  // The statuses stand in the statement, not in parameters. Only then does SQLite use the partial index on them.
  const isHeld = and(eq(deployments.serverId, id), sql`${deployments.status} in ('live', 'building')`);
  const isFree = sql`${rows.countAll(projects, eq(projects.serverId, id))} = 0 and ${rows.countAll(deployments, isHeld)} = 0`;
  if ((await rows.run(rows.delete(servers, sql`${eq(servers.id, id)} and ${isFree}`))) === 1)
    return "deleted";
  const [server] = await rows.select({ id: servers.id }, servers, { where: eq(servers.id, id) });
  return server === undefined ? "no_such_server" : "in_use";
}
