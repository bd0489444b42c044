import { eq, sql, and } from "drizzle-orm";

import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { isOfProject } from "#worker/db/projects/is-of-project.ts";
import { projects, servers, deployments } from "#worker/db/schema.ts";
import type { ServerId } from "#contract/ids.ts";

type ServerDeletion = "deleted" | "in_use" | "no_such_server";

/**
 * Deletes a server with its agent's credential, unless a project is on it, or is still live on it after a move.
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
  const isHeld = and(eq(deployments.serverId, id), isUnended, isOfProject(rows, deployments));
  const isFree = sql`${rows.countAll(projects, eq(projects.serverId, id))} = 0 and ${rows.countAll(deployments, isHeld)} = 0`;
  const deletion = rows.delete(servers, sql`${eq(servers.id, id)} and ${isFree}`);
  const [deleted] = await rows.runTogether([deletion, ...recorded]);
  if (deleted === 1) return "deleted";
  const [server] = await rows.select({ id: servers.id }, servers, { where: eq(servers.id, id) });
  return server === undefined ? "no_such_server" : "in_use";
}
