import type { ServerId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Server, UpdateServerInput } from "#contract/endpoints/servers/schemas.ts";
import type { Context } from "#worker/context.ts";
import { findServer, updateServer as changeServer } from "#worker/db/servers/server-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { differences, serverChange } from "#worker/operations/changes/targets.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { refuseOutside } from "#worker/operations/servers/refuse-outside.ts";
import { serverView } from "#worker/views/server-view.ts";

/** Changes a server's name, address or region. None affects its agent, or where existing objects are. */
export async function updateServer(
  context: Context,
  id: ServerId,
  { name, ip, region }: UpdateServerInput,
): Promise<Result<Server, "invalid_request" | "not_found" | "name_taken">> {
  const outside = refuseOutside(context, region);
  if (outside !== null) return outside;
  const reading = await findServer(context.rows, id);
  if (reading === null) return notFound("server");
  const before = serverView(reading, context.clock.now());
  const after = {
    ...before,
    name: name ?? before.name,
    ip: ip ?? before.ip,
    region: region === undefined ? before.region : region,
  };
  const isChange = name !== undefined || ip !== undefined || region !== undefined;
  const update = isChange
    ? await changeServer(context.rows, id, { name, ip, region }, recorded())
    : "updated";
  switch (update) {
    case "updated":
      if (isChange) announceLater(context);
      return succeed(after);
    case "no_such_server":
      return notFound("server");
    case "name_taken":
      return refuse("name_taken", `The account already has a server named ${name}.`);
  }

  function recorded() {
    const change = serverChange("server.updated", after, differences(before, { name, ip, region }));
    const isSame = Object.keys(change.changes ?? {}).length === 0;
    return requestWrites(context, isSame ? { ...change, event: null } : change);
  }
}
