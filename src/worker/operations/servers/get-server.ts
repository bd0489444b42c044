import type { ServerId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Server } from "#contract/endpoints/servers/schemas.ts";
import type { Context } from "#worker/context.ts";
import { findServer } from "#worker/db/servers/server-records.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { serverView } from "#worker/views/server-view.ts";

/** A server with what its agent last said. */
export async function getServer(context: Context, id: ServerId): Promise<Result<Server, "not_found">> {
  const reading = await findServer(context.rows, id);
  if (reading === null) return notFound("server");
  return succeed(serverView(reading, context.clock.now()));
}
