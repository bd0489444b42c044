import { and, eq, or, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";

import type { AccountId, ServerId } from "#contract/ids.ts";
import type { Region } from "#contract/regions.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { MAX_PER_ACCOUNT, type NewRow } from "#worker/db/owned-tables.ts";
import { isOfProject, locationOfServer } from "#worker/db/projects/find-project.ts";
import { hasOneServer } from "#worker/db/projects/settings-column.ts";
import { hasRunOn } from "#worker/db/projects/project-servers.ts";
import { projectServers } from "#worker/db/project-tables.ts";
import { isBalancedBy } from "#worker/db/servers/shared-projects.ts";
import { deployments, isFronted, projects, servers } from "#worker/db/schema.ts";
import type { Position } from "#worker/db/reads.ts";
import { hasStillRights, type Sender } from "#worker/db/tokens/has-still-rights.ts";
import { builderId } from "#worker/db/variables/sealing-servers.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";
import type { ServerLocation } from "#worker/objects/location.ts";

const columns = {
  id: servers.id,
  name: servers.name,
  ip: servers.ip,
  createdAt: servers.createdAt,
  enrolledAt: servers.enrolledAt,
  firstConnectedAt: servers.firstConnectedAt,
  connectedAt: servers.connectedAt,
  lastSeenAt: servers.lastSeenAt,
  connectedMsByDay: servers.connectedMsByDay,
  agentVersion: servers.agentVersion,
  agentMismatch: servers.agentMismatch,
  diskTotalBytes: servers.diskTotalBytes,
  diskFreeBytes: servers.diskFreeBytes,
  diskCacheBytes: servers.diskCacheBytes,
  diskImageBytes: servers.diskImageBytes,
  diskImages: servers.diskImages,
  sealKey: servers.sealKey,
  isolation: servers.isolation,
  policy: servers.policy,
  tools: servers.tools,
  containers: servers.containers,
  ingressProblem: servers.ingressProblem,
  region: servers.region,
  detectedRegion: servers.detectedRegion,
  takenOverAt: servers.takenOverAt,
  drain: servers.drain,
  address: servers.address,
  fleet: servers.fleet,
};

/**
 * A server without its secrets' hashes, and how many projects it hosts. `shared`: how many of them have several servers or an
 * entry, some maybe counted twice. Times are Unix milliseconds.
 */
export type ServerReading = Pick<typeof servers.$inferSelect, keyof typeof columns> & {
  readonly apps: number;
  readonly shared: number;
};

/** The fields of a ServerReading. */
export function serverFields(rows: AccountRows) {
  const only = rows.count(projects, and(eq(projects.serverId, servers.id), hasOneServer));
  const ofSeveral = rows.count(projectServers, eq(projectServers.serverId, servers.id));
  const isServer = and(eq(projectServers.projectId, projects.id), eq(projectServers.serverId, servers.id));
  const isServed = sql`(${projects.serverId} = ${servers.id} or ${rows.count(projectServers, isServer)} > 0)`;
  const isBalanced = isBalancedBy(servers.id);
  // A balancer that serves the project too counts once.
  const balanced = rows.count(projects, and(isFronted(projects), isBalanced, sql`not ${isServed}`));
  const fronted = rows.count(projects, and(isFronted(projects), or(isBalanced, isServed)));
  return {
    ...columns,
    apps: sql<number>`(${only} + ${ofSeveral} + ${balanced})`,
    shared: sql<number>`(${ofSeveral} + ${fronted})`,
  };
}

/** The account's server with this id; null if there is none. */
export async function findServer(rows: AccountRows, id: ServerId): Promise<ServerReading | null> {
  return await rows.find(serverFields, servers, id);
}

/** The account's servers, newest first. */
export async function listServers(rows: AccountRows, position: Position<ServerId>): Promise<ServerReading[]> {
  return await rows.page(serverFields, servers, servers.id, position);
}

/** The hash of a server's credential, null before the first enrolment. @returns null if the server does not exist */
export async function findCredential(
  rows: AccountRows,
  id: ServerId,
): Promise<{ readonly credentialHash: string | null } | null> {
  const fields = { credentialHash: servers.credentialHash };
  const [found] = await rows.select(fields, servers, { where: eq(servers.id, id) });
  return found ?? null;
}

export type AgentIdentity = {
  readonly serverId: ServerId;
  readonly accountId: AccountId;
  readonly credentialHash: string;
  readonly location: ServerLocation;
};

/**
 * Finds the server whose agent has the credential with this hash; null if there is none.
 * The statement names no account, because it finds out which account the agent belongs to.
 */
export async function findAgent(database: D1Database, hash: string): Promise<AgentIdentity | null> {
  const fields = { serverId: servers.id, accountId: servers.accountId, location: locationOfServer };
  const [found] = await drizzle(database)
    .select(fields)
    .from(servers)
    .where(eq(servers.credentialHash, hash));
  return found === undefined ? null : { ...found, credentialHash: hash };
}

/** `added_before`: a server with this id or this enrolment token exists. */
type ServerInsertion = "inserted" | "added_before" | "name_taken" | "too_many";

/** Adds a server if its name is free and the sender still has their rights. @param recorded the writes that record it */
export async function insertServer(
  rows: AccountRows,
  server: NewRow<typeof servers>,
  sender: Sender,
  recorded: readonly Write[],
): Promise<ServerInsertion> {
  const onlyIf = sql`${rows.count(servers)} < ${MAX_PER_ACCOUNT} and ${hasStillRights(rows, sender)}`;
  try {
    const [inserted] = await rows.runTogether([rows.insert(servers, server, onlyIf), ...recorded]);
    return inserted === 1 ? "inserted" : "too_many";
  } catch (error) {
    const violated = uniqueViolation(error);
    if (violated === "servers.id" || violated === "servers.enrollment_hash") return "added_before";
    if (violated === "servers.account_id, servers.name") return "name_taken";
    throw error;
  }
}

/** Undefined fields keep their values. */
type ServerChanges = {
  readonly name?: string | undefined;
  readonly ip?: string | undefined;
  readonly region?: Region | null | undefined;
  readonly address?: string | null | undefined;
};

type ServerUpdate = "updated" | "name_taken" | "no_such_server";

/**
 * Changes a server's settings. The database's unique constraint decides whether the name is free.
 * @param recorded the writes that record it
 */
export async function updateServer(
  rows: AccountRows,
  id: ServerId,
  changes: ServerChanges,
  recorded: readonly Write[],
): Promise<ServerUpdate> {
  try {
    const [count] = await rows.runTogether([rows.update(servers, changes, eq(servers.id, id)), ...recorded]);
    return count === 1 ? "updated" : "no_such_server";
  } catch (error) {
    if (uniqueViolation(error) === "servers.account_id, servers.name") return "name_taken";
    throw error;
  }
}

type ServerDeletion = "deleted" | "in_use" | "no_such_server";

/**
 * Deletes a server with its agent's credential, unless a project is on it, builds on it, is still live on it after a move, or
 * has it as a balancer.
 * One statement checks and deletes, just as the statement that adds a project checks for its server. So if both run at
 * the same time, one of them fails.
 * @param recorded the writes that record it
 */
export async function deleteServer(
  rows: AccountRows,
  id: ServerId,
  recorded: readonly Write[],
): Promise<ServerDeletion> {
  // The statuses are in the statement's text: with parameters, SQLite would not use the partial index on them.
  const isUnended = sql`${deployments.status} in ('live', 'building')`;
  const isHeld = and(hasRunOn(deployments, id), isUnended, isOfProject(rows, deployments));
  const uses = [
    rows.countAll(projects, eq(projects.serverId, id)),
    rows.countAll(projectServers, eq(projectServers.serverId, id)),
    rows.countAll(deployments, isHeld),
    rows.countAll(projects, and(isFronted(projects), isBalancedBy(id))),
  ];
  uses.push(rows.count(projects, sql`${builderId} = ${id}`));
  const isFree = sql`${sql.join(uses, sql` + `)} = 0`;
  const deletion = rows.delete(servers, sql`${eq(servers.id, id)} and ${isFree}`);
  const [deleted] = await rows.runTogether([deletion, ...recorded]);
  if (deleted === 1) return "deleted";
  const [server] = await rows.select({ id: servers.id }, servers, { where: eq(servers.id, id) });
  return server === undefined ? "no_such_server" : "in_use";
}
