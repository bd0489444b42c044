import type { ServerId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { noFreezes } from "#domain/freezes/project-freezes.ts";
import type { Decision } from "#domain/lane/decision.ts";
import { addPlacement, requestRemoval } from "#domain/lane/placements.ts";
import { isIn, type Lane, RESTORABLE_MS } from "#domain/lane/lane.ts";

export type DeleteProjectRequest = {
  /** The current server of the project. */
  serverId: ServerId;
  /** Also remove the files from every server that has some. */
  purge: boolean;
};

/**
 * Deletes the project, unless a deployment of it is running or queued. After that, the lane starts no deployments. A
 * second request has the same result, and repeats effects that were interrupted.
 */
export function decideDeleteProject(
  lane: Lane,
  { serverId, purge }: DeleteProjectRequest,
  now: number,
): Result<Decision, "project_busy"> {
  const unended = lane.deployments.findLast((one) => isIn(one, "queued", "active"));
  if (unended !== undefined) {
    const what = unended.deleted ? "is still being stopped" : "has not ended";
    return refuse("project_busy", `v${unended.version} (${unended.id}) ${what}.`);
  }
  const { placements } = purge ? addPlacement(lane, serverId) : lane;
  const next: Lane = {
    nextVersion: lane.nextVersion,
    deployments: [],
    placements: purge ? placements.map((placement) => requestRemoval(placement, true)) : placements,
    deletedAt: now,
    freezes: noFreezes,
  };
  return succeed({ lane: next, effects: [{ type: "project_removed" }] });
}

/** Refuses every start in a deleted project. */
export function refuseIfDeleted(lane: Lane) {
  return lane.deletedAt === null ? null : refuse("not_found", "The project was deleted.");
}

/**
 * Until when the lane of a deleted project must be kept: for requests that were sent before the deletion, and for a
 * restore of the database, so that no version is used twice. In Unix milliseconds; null if it is not known yet, or if the
 * project is not deleted.
 */
export function keptUntil(lane: Lane): number | null {
  const isLeaving = lane.placements.some((placement) => placement.state.name === "leaving");
  return lane.deletedAt === null || isLeaving ? null : lane.deletedAt + RESTORABLE_MS;
}
