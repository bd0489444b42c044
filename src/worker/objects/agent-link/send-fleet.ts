import { servesAlone, serversToNotify } from "#domain/fleet/fleet-state.ts";
import { findFleetContent, findShared } from "#worker/db/servers/fleet-rows.ts";
import { attachmentOf } from "#worker/objects/agent-link/link-sockets.ts";
import type { LinkParts } from "#worker/objects/agent-link/link-parts.ts";
import { notifyLinks } from "#worker/objects/shared/notify-links.ts";
import { sha256 } from "#sealing/bytes.ts";

/** Sends the agent what it must know of other servers, and notifies others of what they must know of this one, if it may have changed. */
export async function deliverFleet(parts: LinkParts): Promise<void> {
  // The announcement first looks whether D1 has the report, which sending to the agent changes.
  await Promise.all([announceReport(parts), sendFleet(parts)]);
}

async function sendFleet({ server, sockets, fleet, presence }: LinkParts): Promise<void> {
  const due = fleet.due();
  const ready = sockets.ready();
  // After the next hello it is due again.
  if (due === null || ready.length === 0) return;
  const canAnswer = ready.every((socket) => attachmentOf(socket).answers.includes("set_fleet"));
  if (!canAnswer) return fleet.noteAlone(due, Date.now());
  const content = await findFleetContent(server.rows(), server.id);
  if (servesAlone(content) && !fleet.wasSent()) return fleet.noteAlone(due, Date.now());
  const revision = fleet.noteSent(due, await sha256(JSON.stringify(content)), Date.now());
  if (revision === null) return;
  // The request's id says nothing: the answer has the revision.
  sockets.send({ type: "set_fleet", request_id: "fleet", fleet: { revision, ...content } });
  presence.noteFleetChanged();
}

/** Notifies the links of the servers with which this one serves projects that its report has changed, once D1 has it. */
async function announceReport({ server, fleet, presence, env }: LinkParts): Promise<void> {
  const changed = fleet.unannounced();
  if (changed === null || presence.unwritten() !== null) return;
  const rows = server.rows();
  const shared = await findShared(rows, server.id);
  const others = new Set(shared.flatMap(serversToNotify).filter((id) => id !== server.id));
  await notifyLinks(env.AGENT_LINK, rows, [...others]);
  fleet.noteAnnounced(changed);
}
