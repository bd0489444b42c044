import type { Server, ServerRows } from "#contract/endpoints/servers/schemas.ts";
import { ServerId } from "#contract/ids.ts";
import type { PageQuery } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findServer, listServers as readServers } from "#worker/db/servers/server-records.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { readAll } from "#worker/paging.ts";
import { serverRow, serverView } from "#worker/views/server-view.ts";

/** A server with what its agent last said. */
export async function getServer(context: Context, id: ServerId): Promise<Result<Server, "not_found">> {
  const reading = await findServer(context.rows, id);
  if (reading === null) return notFound("server");
  return succeed(serverView(reading, context.clock.now(), context.rows.projectIds));
}

/** Lists the account's servers, newest first: all of them, or one page if the query has a limit. */
export async function listServers(
  { rows, clock }: Context,
  query: PageQuery,
): Promise<Result<ServerRows, "invalid_request">> {
  const page = await readAll("servers", ServerId, (position) => readServers(rows, position), query);
  if (!page.ok) return page;
  const now = clock.now();
  return succeed({
    servers: page.value.rows.map((reading) => serverRow(reading, now)),
    next_cursor: page.value.nextCursor,
  });
}
