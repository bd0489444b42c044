import type { ServerId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { deleteServer as removeServer, findServer } from "#worker/db/servers/server-records.ts";
import { logFailure } from "#worker/log-failure.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { serverChange } from "#worker/operations/changes/targets.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { serverView } from "#worker/views/server-view.ts";

/** Deletes a server without projects. Revokes its agent's credential and closes its link. */
export async function deleteServer(
  context: Context,
  id: ServerId,
): Promise<Result<null, "not_found" | "server_in_use">> {
  const server = await findServer(context.rows, id);
  if (server === null) return notFound("server");
  const link = context.links.getByName(id, context.near(server.region ?? server.detectedRegion));
  // If this request dies before it calls `remove` below, the link checks D1 by itself, closes, and notifies the lanes.
  await link.expectRemoval(context.account.id);
  const change = serverChange("server.deleted", serverView(server, context.clock.now()));
  const deletion = await removeServer(context.rows, id, requestWrites(context, change));
  switch (deletion) {
    case "deleted":
      try {
        await link.remove();
      } catch (error) {
        logFailure("delete server", { server_id: id }, error);
      }
      announceLater(context);
      return succeed(null);
    case "in_use":
      return refuse(
        "server_in_use",
        `Projects are on ${id}, or are served from it until they are deployed to their new server.`,
      );
    case "no_such_server":
      return notFound("server");
  }
}
