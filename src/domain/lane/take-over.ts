import { addPlacement } from "#domain/lane/placements.ts";
import type { Placement, Lane, LaneDeployment } from "#domain/lane/lane.ts";

/** What the database has of a project whose lane has no deployments: those that were live, in the order of their versions. */
export type History = { readonly highestVersion: number; readonly onceLive: readonly LaneDeployment[] };

/**
 * Takes over a project that the database has, and that the lane has forgotten or has seen deleted. Versions continue after
 * the highest one, so that none is used twice. A server that was to remove the project's files keeps those it still has.
 */
export function takeOver(lane: Lane, { highestVersion, onceLive }: History): Lane {
  const taken: Lane = {
    nextVersion: Math.max(lane.nextVersion, highestVersion + 1),
    deployments: onceLive,
    placements: lane.placements.map(({ serverId }): Placement => ({ serverId, state: { name: "in_use" } })),
    deletedAt: null,
  };
  return onceLive.reduce((next, { serverId }) => addPlacement(next, serverId), taken);
}
