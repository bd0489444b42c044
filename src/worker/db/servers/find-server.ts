import { eq } from "drizzle-orm";

import type { AccountRows } from "#worker/db/account-rows.ts";
import { servers } from "#worker/db/schema.ts";
import type { ServerId } from "#contract/ids.ts";
import { type ServerReading, serverFields } from "#worker/db/servers/server-reading.ts";

/** The account's server with this id; null if there is none. */
export async function findServer(rows: AccountRows, id: ServerId): Promise<ServerReading | null> {
  const [server] = await rows.select(serverFields, servers, { where: eq(servers.id, id), limit: 1 });
  return server ?? null;
}
