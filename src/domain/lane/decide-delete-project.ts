import type { ServerId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Decision } from "#domain/lane/decision.ts";
import { addPlacement, requestRemoval } from "#domain/lane/placements.ts";
import { isIn, type Lane, RESTORABLE_MS } from "#domain/lane/lane.ts";

export type DeleteProjectRequest = {
  /** Where the project is now. */
  serverId: ServerId;
  /** Also remove its files from every server that has some. */
  purge: boolean;
};

/**
 * Deletes the project, unless a deployment of it runs or waits. From then on the lane starts nothing. Asked again, it
 * answers the same, and what was cut off the first time is done again.
 */
export function decideDeleteProject(
  lane: Lane,
  { serverId, purge }: DeleteProjectRequest,
  now: number,
): Result<Decision, "project_busy"> {
  const unended = lane.deployments.findLast((one) => isIn(one, "queued", "offered", "running"));
  if (unended !== undefined) {
    const what = unended.deleted ? "is still being stopped" : "has not ended";
    return refuse("project_busy", `Version ${unended.version} (${unended.id}) ${what}.`);
  }
  const { placements } = purge ? addPlacement(lane, serverId) : lane;
  const next: Lane = {
    nextVersion: lane.nextVersion,
    deployments: [],
    placements: purge ? placements.map((placement) => requestRemoval(placement, true)) : placements,
    deletedAt: now,
  };
  return succeed({ lane: next, effects: [{ type: "project_removed" }] });
}

/** A project that was deleted has nothing started any more. */
export function refuseIfDeleted(lane: Lane) {
  return lane.deletedAt === null ? null : refuse("not_found", "The project was deleted.");
}

/**
 * Until when a deleted project's lane must be kept: for what was asked for before the deletion and arrives after it, and
 * for a database that is set back, so that no version is given out a second time. In Unix milliseconds; null: it is not known
 * yet, or it is not deleted.
 */
export function keptUntil(lane: Lane): number | null {
  const isLeaving = lane.placements.some((placement) => placement.state.name === "leaving");
  return lane.deletedAt === null || isLeaving ? null : lane.deletedAt + RESTORABLE_MS;
}
