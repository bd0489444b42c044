import { eq, type SQL, sql } from "drizzle-orm";

import type { ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { projects, servers } from "#worker/db/schema.ts";
import type { ServerPlace } from "#worker/objects/placement.ts";

/** Where a server's objects are created, for a statement about servers. */
export const placeOfServer = sql<ServerPlace>`coalesce(${servers.region}, ${servers.detectedRegion}, iif(${servers.enrolledAt} is null, 'pending', null))`;

/** Where the server of the project in `projects` is. @param server another server of the project */
export function serverPlace(
  rows: AccountRows,
  server: SQL<ServerId> | typeof projects.serverId = projects.serverId,
): SQL<ServerPlace> {
  return rows.first(placeOfServer, servers, eq(servers.id, server), sql`${servers.id}`);
}
