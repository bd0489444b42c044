import { addPlacement } from "#domain/lane/placements.ts";
import type { ServerId } from "#contract/ids.ts";
import { isIn, type Placement, type Lane, type LaneDeployment } from "#domain/lane/lane.ts";

/**
 * The database's history of a project whose lane has no deployments. `onceLive`: deployments that were live, by
 * version.
 */
export type History = { readonly highestVersion: number; readonly onceLive: readonly LaneDeployment[] };

/**
 * Builds the lane of a project that exists in the database, but not in the lane, or that the lane has deleted. Versions
 * continue after the highest one, so that each is used once. Pending removals on servers are dropped.
 */
export function takeOver(lane: Lane, { highestVersion, onceLive }: History): Lane {
  const taken: Lane = {
    nextVersion: Math.max(lane.nextVersion, highestVersion + 1),
    deployments: onceLive,
    placements: lane.placements.map(({ serverId }): Placement => ({ serverId, state: { name: "in_use" } })),
    deletedAt: null,
    freezes: lane.freezes,
  };
  const servers = onceLive.flatMap((one) => [one.serverId, ...othersOf(one)]);
  return servers.reduce(addPlacement, taken);
}

function othersOf(deployment: LaneDeployment): ServerId[] {
  return isIn(deployment, "live", "superseded")
    ? deployment.state.served.map(({ serverId }) => serverId)
    : [];
}
