import type {
  CreateServerInput,
  Server,
  ServerCreated,
  UpdateServerInput,
} from "#contract/endpoints/servers/schemas.ts";
import type { ServerId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Region } from "#contract/regions.ts";
import { isInside } from "#domain/nearest-region.ts";
import type { Context, Services } from "#worker/context.ts";
import {
  deleteServer as removeServer,
  findServer,
  insertServer,
  updateServer as changeServer,
} from "#worker/db/servers/server-records.ts";
import { logFailure } from "#worker/log-failure.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { differences, serverChange } from "#worker/operations/changes/targets.ts";
import { notFound, refuseEnded, tooMany } from "#worker/operations/refusals.ts";
import { newEnrollment, newEnrollmentSecret } from "#worker/operations/servers/enrollments.ts";
import { serverFleetChanged } from "#worker/operations/projects/fleet-changed.ts";
import { refuseInUse } from "#worker/operations/servers/refuse-in-use.ts";
import { serverView } from "#worker/views/server-view.ts";

/**
 * Registers a server, and creates the enrolment token for its agent. A retry of the same request returns the server that
 * the first try created.
 */
export async function createServer(
  context: Context,
  input: CreateServerInput,
): Promise<Result<ServerCreated, "insufficient_scope" | "invalid_request" | "name_taken" | "too_many">> {
  const outside = refuseOutside(context, input.region);
  if (outside !== null) return outside;
  const now = context.clock.now();
  const secret = newEnrollmentSecret(context);
  const enrollment = await newEnrollment(context, now, secret);
  const server = {
    id: context.ids.server(),
    name: input.name,
    ip: input.ip,
    createdAt: now,
    enrolledAt: null,
    firstConnectedAt: null,
    connectedAt: null,
    lastSeenAt: null,
    connectedMsByDay: {},
    agentVersion: null,
    agentMismatch: null,
    diskTotalBytes: null,
    diskFreeBytes: null,
    diskCacheBytes: null,
    diskImageBytes: null,
    diskImages: null,
    sealKey: null,
    isolation: null,
    policy: null,
    tools: null,
    containers: null,
    ingressProblem: null,
    region: input.region ?? null,
    detectedRegion: null,
    takenOverAt: null,
    drain: null,
    address: input.address ?? null,
    fleet: null,
  };
  const created = {
    ...serverView({ ...server, apps: 0, shared: 0 }, now, context.rows.projectIds),
    enrollment: enrollment.shown,
  };
  const recorded = requestWrites(context, serverChange("server.created", created));
  const insertion = await insertServer(context.rows, { ...server, ...enrollment.record }, context, recorded);
  if (insertion !== "inserted" && context.requestKey !== null) {
    const added = await findServer(context.rows, server.id);
    if (added !== null) {
      const { createdAt } = added;
      const { shown } = await newEnrollment(context, createdAt, secret);
      return succeed({
        ...serverView({ ...server, apps: 0, shared: 0, createdAt }, createdAt, context.rows.projectIds),
        enrollment: shown,
      });
    }
  }
  switch (insertion) {
    case "inserted":
      announceLater(context);
      return succeed(created);
    case "added_before":
      throw new Error("the server that an earlier try created no longer exists");
    case "name_taken":
      return refuse("name_taken", `The account already has a server named ${input.name}.`);
    case "too_many":
      return (await refuseEnded(context)) ?? tooMany("servers");
  }
}

/**
 * Changes a server's name, IP address, region or address. None affects where existing objects are. Other servers are told of
 * another address.
 */
export async function updateServer(
  context: Context,
  id: ServerId,
  { name, ip, region, address }: UpdateServerInput,
): Promise<Result<Server, "invalid_request" | "not_found" | "name_taken">> {
  const outside = refuseOutside(context, region);
  if (outside !== null) return outside;
  const reading = await findServer(context.rows, id);
  if (reading === null) return notFound("server");
  const before = serverView(reading, context.clock.now(), context.rows.projectIds);
  const after = {
    ...before,
    name: name ?? before.name,
    ip: ip ?? before.ip,
    region: region === undefined ? before.region : region,
    address: address === undefined ? before.address : address,
  };
  const isChange = [name, ip, region, address].some((value) => value !== undefined);
  const update = isChange
    ? await changeServer(context.rows, id, { name, ip, region, address }, recorded())
    : "updated";
  switch (update) {
    case "updated":
      if (isChange) announceLater(context);
      if ((address !== undefined || ip !== undefined) && reading.shared > 0)
        context.defer(serverFleetChanged(context, id));
      return succeed(after);
    case "no_such_server":
      return notFound("server");
    case "name_taken":
      return refuse("name_taken", `The account already has a server named ${name}.`);
  }

  function recorded() {
    const change = serverChange("server.updated", after, differences(before, { name, ip, region, address }));
    const isSame = Object.keys(change.changes ?? {}).length === 0;
    return requestWrites(context, isSame ? { ...change, event: null } : change);
  }
}

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
  const change = serverChange(
    "server.deleted",
    serverView(server, context.clock.now(), context.rows.projectIds),
  );
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
      return await refuseInUse(context, server);
    case "no_such_server":
      return notFound("server");
  }
}

/** Refuses a region for a server in which the installation must not have objects; null: it may. */
function refuseOutside(
  { jurisdiction }: Pick<Services, "jurisdiction">,
  region: Region | null | undefined,
): Result<never, "invalid_request"> | null {
  if (!region || isInside(region, jurisdiction)) return null;
  const message = `must be in the installation's jurisdiction, ${jurisdiction}`;
  return refuse("invalid_request", `The region ${message}.`, [{ pointer: "/region", message }]);
}
