import type { ServerId } from "#contract/ids.ts";
import type { Decision } from "#domain/lane/decision.ts";
import { hostOf, removeHost, replaceHost } from "#domain/lane/placements.ts";
import { activeOf, type Lane } from "#domain/lane/lane.ts";
import { noteReport } from "#domain/lane/note-report.ts";

/** What an agent says it has let go of: the releases, or with `purge` everything. */
export type Forgotten = { serverId: ServerId; purge: boolean };

/** Takes in that a server has let go of the project. One that was not asked to changes nothing by saying so. */
export function decideForgotten(lane: Lane, { serverId, purge }: Forgotten): Decision {
  const host = hostOf(lane, serverId);
  if (host === null || host.state.name !== "leaving") return { lane, effects: [] };
  if (host.state.purge && !purge) return { lane, effects: [] };
  const without = noteReport(lane, serverId, { releases: [] });
  if (purge) return { lane: removeHost(without, serverId), effects: [] };
  // It may have been offered another deployment since it was told.
  const name = activeOf(lane)?.serverId === serverId ? "in_use" : "left";
  return { lane: replaceHost(without, { serverId, state: { name } }), effects: [] };
}

/** The server itself was deleted, so that nobody there can be told anything, or keeps anything for us. */
export function decideServerGone(lane: Lane, serverId: ServerId): Decision {
  return { lane: removeHost(noteReport(lane, serverId, { releases: [] }), serverId), effects: [] };
}
