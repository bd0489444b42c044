import type { ConnectionRows } from "#contract/endpoints/connections/schemas.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { listConnections as readConnections } from "#worker/db/connections/connection-records.ts";
import { redirectUri } from "#worker/operations/sign-in/redirect-uri.ts";
import { connectionView } from "#worker/views/connection-view.ts";

/** Lists the connections, the oldest first. */
export async function listConnections(context: Context): Promise<Result<ConnectionRows, never>> {
  const connections = await readConnections(context.rows);
  return succeed({
    connections: connections.map((connection) => connectionView(connection, redirectUri(context))),
  });
}
