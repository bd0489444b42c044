import { isAloneWith } from "#domain/fleet/fleet-state.ts";
import { attachmentOf } from "#worker/objects/agent-link/link-sockets.ts";
import type { LinkParts } from "#worker/objects/agent-link/link-parts.ts";
import { sha256 } from "#sealing/bytes.ts";

/** Tells the agent what it must know of other servers, if that may have changed. */
export async function sendFleet({ server, sockets, fleet, presence }: LinkParts): Promise<void> {
  const due = fleet.due();
  const ready = sockets.ready();
  // After the next hello it is due again.
  if (due === null || ready.length === 0) return;
  const canAnswer = ready.every((socket) => attachmentOf(socket).answers.includes("set_fleet"));
  if (!canAnswer) return fleet.noteAlone(due, Date.now());
  const content = await server.fleetContent();
  if (isAloneWith(content) && !fleet.wasSent()) return fleet.noteAlone(due, Date.now());
  const revision = fleet.noteSent(due, await sha256(JSON.stringify(content)), Date.now());
  if (revision === null) return;
  // The request's id says nothing: the answer has the revision.
  sockets.send({ type: "set_fleet", request_id: "fleet", fleet: { revision, ...content } });
  presence.noteFleetChanged();
}

/** Tells the links of the servers with which this one serves projects that its report has changed, once D1 has that. */
export async function tellFleet({ server, fleet, presence }: LinkParts): Promise<void> {
  const unannounced = fleet.unannounced();
  if (unannounced === null || presence.unwritten() !== null) return;
  await server.tellOthers();
  fleet.noteAnnounced(unannounced);
}
