import { ServerId } from "#contract/ids.ts";
import type { PageQuery } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { ServerRows } from "#contract/endpoints/servers/schemas.ts";
import type { Context } from "#worker/context.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/limits.ts";
import { listServers as readServers } from "#worker/db/servers/list-servers.ts";
import { pageOf, readCursor } from "#worker/paging.ts";
import { serverRow } from "#worker/views/server-view.ts";

/** The account's servers, newest first: all of them, or a page where a limit is asked for. */
export async function listServers(
  context: Context,
  query: PageQuery,
): Promise<Result<ServerRows, "invalid_request">> {
  const after = readCursor("servers", ServerId, query.cursor);
  if (!after.ok) return after;
  const limit = query.limit ?? MAX_PER_ACCOUNT;
  const readings = await readServers(context.rows, { after: after.value, limit: limit + 1 });
  const page = pageOf(readings, limit, "servers", (reading) => reading.id);
  const now = context.clock.now();
  return succeed({
    servers: page.rows.map((reading) => serverRow(reading, now)),
    next_cursor: page.nextCursor,
  });
}
