import { isAloneWith, serversToTell } from "#domain/fleet/fleet-state.ts";
import { findFleetContent, findShared } from "#worker/db/servers/fleet-rows.ts";
import { attachmentOf } from "#worker/objects/agent-link/link-sockets.ts";
import type { LinkParts } from "#worker/objects/agent-link/link-parts.ts";
import { tellLinks } from "#worker/objects/shared/tell-fleet.ts";
import { sha256 } from "#sealing/bytes.ts";

// Loaded when a link needs it: most servers serve their projects alone.

/** Tells the agent what it must know of other servers, and others what they must know of this one, if that may have changed. */
export async function deliverFleet(parts: LinkParts): Promise<void> {
  // Telling others looks first whether D1 has the report, which sending to the agent changes.
  await Promise.all([tellFleet(parts), sendFleet(parts)]);
}

async function sendFleet({ server, sockets, fleet, presence }: LinkParts): Promise<void> {
  const due = fleet.due();
  const ready = sockets.ready();
  // After the next hello it is due again.
  if (due === null || ready.length === 0) return;
  const canAnswer = ready.every((socket) => attachmentOf(socket).answers.includes("set_fleet"));
  if (!canAnswer) return fleet.noteAlone(due, Date.now());
  const content = await findFleetContent(server.rows(), server.id);
  if (isAloneWith(content) && !fleet.wasSent()) return fleet.noteAlone(due, Date.now());
  const revision = fleet.noteSent(due, await sha256(JSON.stringify(content)), Date.now());
  if (revision === null) return;
  // The request's id says nothing: the answer has the revision.
  sockets.send({ type: "set_fleet", request_id: "fleet", fleet: { revision, ...content } });
  presence.noteFleetChanged();
}

/** Tells the links of the servers with which this one serves projects that its report has changed, once D1 has that. */
async function tellFleet({ server, fleet, presence, env }: LinkParts): Promise<void> {
  const changed = fleet.unannounced();
  if (changed === null || presence.unwritten() !== null) return;
  const rows = server.rows();
  const shared = await findShared(rows, server.id);
  const others = new Set(shared.flatMap(serversToTell).filter((id) => id !== server.id));
  await tellLinks(env.AGENT_LINK, rows, [...others]);
  fleet.noteAnnounced(changed);
}
