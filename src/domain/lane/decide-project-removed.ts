import type { ServerId } from "#contract/ids.ts";
import type { Decision } from "#domain/lane/decision.ts";
import { placementOf, removePlacement, replacePlacement, requestRemoval } from "#domain/lane/placements.ts";
import type { Lane } from "#domain/lane/lane.ts";
import { isUnended, runOn } from "#domain/lane/runs.ts";
import { noteReport } from "#domain/lane/check-serving.ts";

/** An agent's report that it removed the project's releases, or with `purge` all of its files. */
export type ProjectRemoved = { serverId: ServerId; purge: boolean };

/** Records that a server has removed the project. A report without a request changes nothing. */
export function decideProjectRemoved(lane: Lane, { serverId, purge }: ProjectRemoved): Decision {
  const placement = placementOf(lane, serverId);
  if (placement === null || placement.state.name !== "leaving") return { lane, effects: [] };
  if (placement.state.purge && !purge) return { lane, effects: [] };
  const without = noteReport(lane, serverId, { releases: [] });
  if (purge) return { lane: removePlacement(without, serverId), effects: [] };
  // Another deployment may have been offered to the server after the removal was requested.
  const run = runOn(lane, serverId);
  if (run !== null && !isUnended(run))
    return { lane: replacePlacement(without, requestRemoval(placement, false)), effects: [] };
  const name = run === null ? "left" : "in_use";
  return { lane: replacePlacement(without, { serverId, state: { name } }), effects: [] };
}

/** Removes a deleted server from the lane: it receives no more messages, and its releases no longer count. */
export function decideServerDeleted(lane: Lane, serverId: ServerId): Decision {
  return { lane: removePlacement(noteReport(lane, serverId, { releases: [] }), serverId), effects: [] };
}
