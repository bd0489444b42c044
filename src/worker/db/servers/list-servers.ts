import { desc, lt } from "drizzle-orm";

import type { ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { servers } from "#worker/db/schema.ts";
import { serverFields, type ServerReading } from "#worker/db/servers/server-reading.ts";

/** The account's servers, newest first, from the one after `after` on. */
export async function listServers(
  rows: AccountRows,
  { after, limit }: { readonly after: ServerId | null; readonly limit: number },
): Promise<ServerReading[]> {
  return rows.select(serverFields(rows), servers, {
    where: after === null ? undefined : lt(servers.id, after),
    orderBy: [desc(servers.id)],
    limit,
  });
}
