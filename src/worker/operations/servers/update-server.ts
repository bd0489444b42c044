import type { ServerId } from "#contract/ids.ts";
import { refuse, type Result } from "#contract/problems.ts";
import type { Server, UpdateServerInput } from "#contract/endpoints/servers/schemas.ts";
import type { Context } from "#worker/context.ts";
import { updateServer as changeServer } from "#worker/db/servers/update-server.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { getServer } from "#worker/operations/servers/get-server.ts";

/** Changes a server's name or address. Neither affects its agent. */
export async function updateServer(
  context: Context,
  id: ServerId,
  { name, ip }: UpdateServerInput,
): Promise<Result<Server, "not_found" | "name_taken">> {
  const isChange = name !== undefined || ip !== undefined;
  const update = isChange ? await changeServer(context.rows, id, { name, ip }) : "updated";
  switch (update) {
    case "updated":
      return await getServer(context, id);
    case "no_such_server":
      return notFound("server");
    case "name_taken":
      return refuse("name_taken", `The account already has a server named ${name}.`);
  }
}
