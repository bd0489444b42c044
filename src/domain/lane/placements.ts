import type { ServerId } from "#contract/ids.ts";
import type { Placement, Lane } from "#domain/lane/lane.ts";

/** null: the server has never had an order of the project, or has let go of it. */
export function placementOf(lane: Lane, serverId: ServerId): Placement | null {
  return lane.placements.find((placement) => placement.serverId === serverId) ?? null;
}

/** Puts a host in the place of the one that has the same server. */
export function replacePlacement(lane: Lane, next: Placement): Lane {
  return {
    ...lane,
    placements: lane.placements.map((placement) => (placement.serverId === next.serverId ? next : placement)),
  };
}

/** The server has nothing of the project any more, or is no more itself. */
export function removePlacement(lane: Lane, serverId: ServerId): Lane {
  return { ...lane, placements: lane.placements.filter((placement) => placement.serverId !== serverId) };
}

/** A server that is offered a deployment has files of the project from now on. One that is leaving stays so until it serves again. */
export function addPlacement(lane: Lane, serverId: ServerId): Lane {
  const placement = placementOf(lane, serverId);
  const inUse: Placement = { serverId, state: { name: "in_use" } };
  if (placement === null) return { ...lane, placements: [...lane.placements, inUse] };
  return placement.state.name === "left" ? replacePlacement(lane, inUse) : lane;
}

/** The project is live on this server: every other one that may hold releases of it must let go of them. */
export function moveTo(lane: Lane, serverId: ServerId): Lane {
  const placements = lane.placements.map((placement): Placement => {
    if (placement.serverId === serverId) return { serverId, state: { name: "in_use" } };
    return placement.state.name === "in_use" ? requestRemoval(placement, false) : placement;
  });
  return { ...lane, placements };
}

/** Has a host let go of the project; it is told from the beginning, whatever it was told before. */
export function requestRemoval({ serverId, state }: Placement, purge: boolean): Placement {
  const alsoPurge = state.name === "leaving" && state.purge;
  return { serverId, state: { name: "leaving", purge: purge || alsoPurge, lastSend: null, tries: 0 } };
}
