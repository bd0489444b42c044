import { eq, type SQL, sql } from "drizzle-orm";

import type { ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { projects, servers } from "#worker/db/schema.ts";
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
