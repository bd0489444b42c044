import type { ServerId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { deleteServer as removeServer } from "#worker/db/delete-server.ts";

/** Deletes a server that no project is on. Its agent's credential ends with it, and so does its link. */
export async function deleteServer(
  context: Context,
  id: ServerId,
): Promise<Result<null, "not_found" | "server_in_use">> {
  const deletion = await removeServer(context.rows, id);
  switch (deletion) {
    case "deleted":
      await context.links.getByName(id).remove();
      return succeed(null);
    case "in_use":
      return refuse(
        "server_in_use",
        `Projects are on ${id}, or still live there until they are deployed to where they have moved.`,
      );
    case "no_such_server":
      return refuse("not_found", `There is no server ${id}.`);
  }
}
