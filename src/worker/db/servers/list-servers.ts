import type { AccountRows } from "#worker/db/account-rows.ts";
import { servers } from "#worker/db/schema.ts";
import type { ServerId } from "#contract/ids.ts";
import { newestFirst, type Position } from "#worker/db/newest-first.ts";
import { type ServerReading, serverFields } from "#worker/db/servers/server-reading.ts";

/** The account's servers, newest first. */
export async function listServers(rows: AccountRows, position: Position<ServerId>): Promise<ServerReading[]> {
  return rows.select(serverFields, servers, newestFirst(servers.id, position));
}
