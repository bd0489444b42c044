import { and, eq, sql } from "drizzle-orm";

import type { ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deployments, projects, servers } from "#worker/db/schema.ts";

export type ServerDeletion = "deleted" | "in_use" | "no_such_server";

/**
 * Removes a server, and with it its agent's credential, unless a project is on it, or still live on it after a move.
 * One statement asks and removes, as the one that adds a project asks for its server: of the two at the same instant,
 * one finds what the other has done.
 */
export async function deleteServer(rows: AccountRows, id: ServerId): Promise<ServerDeletion> {
  // The states stand in the text, not in parameters, because only so does SQLite use the partial index on them.
  const isHeld = and(eq(deployments.serverId, id), sql`${deployments.status} in ('live', 'building')`);
  const isFree = sql`${rows.countAll(projects, eq(projects.serverId, id))} = 0 and ${rows.countAll(deployments, isHeld)} = 0`;
  if ((await rows.run(rows.delete(servers, sql`${eq(servers.id, id)} and ${isFree}`))) === 1)
    return "deleted";
  const [server] = await rows.select({ id: servers.id }, servers, { where: eq(servers.id, id) });
  return server === undefined ? "no_such_server" : "in_use";
}
