import type { ServerId } from "#contract/ids.ts";
import type { Placement, Lane } from "#domain/lane/lane.ts";

/** Null if the server never had an order of the project, or has removed it. */
export function placementOf(lane: Lane, serverId: ServerId): Placement | null {
  return lane.placements.find((placement) => placement.serverId === serverId) ?? null;
}

/** Replaces the placement on the same server. */
export function replacePlacement(lane: Lane, next: Placement): Lane {
  return {
    ...lane,
    placements: lane.placements.map((placement) => (placement.serverId === next.serverId ? next : placement)),
  };
}

/** Removes the placement of a server that has no more files of the project, or that was deleted. */
export function removePlacement(lane: Lane, serverId: ServerId): Lane {
  return { ...lane, placements: lane.placements.filter((placement) => placement.serverId !== serverId) };
}

/** Adds a placement for a server that is offered a deployment. A server that is leaving stays so until it serves again. */
export function addPlacement(lane: Lane, serverId: ServerId): Lane {
  const placement = placementOf(lane, serverId);
  const inUse: Placement = { serverId, state: { name: "in_use" } };
  if (placement === null) return { ...lane, placements: [...lane.placements, inUse] };
  return placement.state.name === "left" ? replacePlacement(lane, inUse) : lane;
}

/**
 * Moves the project to the servers on which it is now live: all other servers must remove its releases.
 * @param builder a server that only builds for them, and has no releases; undefined: there is none
 */
export function moveTo(lane: Lane, servers: readonly ServerId[], builder: ServerId | undefined): Lane {
  const placements = lane.placements.map((placement): Placement => {
    if (servers.includes(placement.serverId))
      return { serverId: placement.serverId, state: { name: "in_use" } };
    if (placement.serverId === builder) return placement;
    return placement.state.name === "in_use" ? requestRemoval(placement, false) : placement;
  });
  return { ...lane, placements };
}

/** Requests that a server removes the project. Earlier messages do not count, so a new one is sent. */
export function requestRemoval({ serverId, state }: Placement, purge: boolean): Placement {
  const alsoPurge = state.name === "leaving" && state.purge;
  return { serverId, state: { name: "leaving", purge: purge || alsoPurge, lastSend: null, tries: 0 } };
}
