import type { DrainSet } from "#contract/endpoints/servers/drain.ts";
import type { ServerId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findServer, type ServerReading } from "#worker/db/servers/server-records.ts";
import { setDrain } from "#worker/db/servers/server-traffic.ts";
import type { ServerLocation } from "#worker/objects/location.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { differences, serverChange } from "#worker/operations/changes/targets.ts";
import { notFound } from "#worker/operations/refusals.ts";
import {
  askAgent,
  isOutdated,
  newRequestId,
  refuseOutdated,
} from "#worker/operations/repositories/ask-agent.ts";
import { serverView } from "#worker/views/server-view.ts";
import { timestamp } from "#worker/views/timestamp.ts";

/**
 * Has the server's ready URL ask load balancers for no more requests. An agent that cannot do this is refused before the
 * change is stored, so that nobody relies on it.
 */
export async function drainServer(
  context: Context,
  id: ServerId,
): Promise<Result<DrainSet, "not_found" | "agent_outdated">> {
  const reading = await findServer(context.latestRows, id);
  if (reading === null) return notFound("server");
  const address = { serverId: id, serverLocation: locationOf(reading) };
  if (await isOutdated(context, address, "set_drain")) return refuseOutdated(context, address);
  return await changeDrain(context, reading, true);
}

/** Has the server's ready URL answer 200 again. */
export async function undrainServer(context: Context, id: ServerId): Promise<Result<DrainSet, "not_found">> {
  const reading = await findServer(context.latestRows, id);
  if (reading === null) return notFound("server");
  return await changeDrain(context, reading, false);
}

/** Stored first, then applied by the server. A server that cannot be reached gets it after its next hello. */
async function changeDrain(
  context: Context,
  reading: ServerReading,
  isDraining: boolean,
): Promise<Result<DrainSet, "not_found">> {
  const now = context.clock.now();
  const before = serverView(reading, now, context.rows.projectIds);
  const changes = differences(before, { draining_since: isDraining ? timestamp(now) : null });
  const recorded = requestWrites(context, serverChange("server.updated", before, changes));
  await setDrain(context.latestRows, reading.id, isDraining, now, recorded);
  // Another request may have changed it at the same time.
  const after = await findServer(context.latestRows, reading.id);
  if (after === null) return notFound("server");
  announceLater(context);
  const detail = await whyNotApplied(context, after);
  return succeed({ ...serverView(after, now, context.rows.projectIds), applied: detail === null, detail });
}

/** Asks the server to apply what is stored. @returns null if it has, or why it has not, as a sentence */
async function whyNotApplied(context: Context, server: ServerReading): Promise<string | null> {
  const { drain } = server;
  if (drain === null) return null;
  const at = { id: null, serverId: server.id, serverLocation: locationOf(server) };
  const request = { type: "set_drain", request_id: newRequestId(context), drain } as const;
  const answer = await askAgent(context, at, request);
  return answer.ok ? answer.value.problem : answer.refusal.detail;
}

function locationOf({ region, detectedRegion, enrolledAt }: ServerReading): ServerLocation {
  return region ?? detectedRegion ?? (enrolledAt === null ? "pending" : null);
}
