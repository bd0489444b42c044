import type { ServerId } from "#contract/ids.ts";
import type { Decision } from "#domain/lane/decision.ts";
import { placementOf, removePlacement, replacePlacement } from "#domain/lane/placements.ts";
import { activeOf, type Lane } from "#domain/lane/lane.ts";
import { noteReport } from "#domain/lane/note-report.ts";

/** What an agent says it has let go of: the releases, or with `purge` everything. */
export type ProjectRemoved = { serverId: ServerId; purge: boolean };

/** Takes in that a server has let go of the project. One that was not asked to changes nothing by saying so. */
export function decideProjectRemoved(lane: Lane, { serverId, purge }: ProjectRemoved): Decision {
  const placement = placementOf(lane, serverId);
  if (placement === null || placement.state.name !== "leaving") return { lane, effects: [] };
  if (placement.state.purge && !purge) return { lane, effects: [] };
  const without = noteReport(lane, serverId, { releases: [] });
  if (purge) return { lane: removePlacement(without, serverId), effects: [] };
  // It may have been offered another deployment since it was told.
  const name = activeOf(lane)?.serverId === serverId ? "in_use" : "left";
  return { lane: replacePlacement(without, { serverId, state: { name } }), effects: [] };
}

/** The server itself was deleted, so that nobody there can be told anything, or keeps anything for us. */
export function decideServerDeleted(lane: Lane, serverId: ServerId): Decision {
  return { lane: removePlacement(noteReport(lane, serverId, { releases: [] }), serverId), effects: [] };
}
