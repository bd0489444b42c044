import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { ServerId } from "#contract/ids.ts";
import { activeOf, type Lane, liveOf } from "#domain/lane/lane.ts";

/** What a server's agent says of a project. */
export type ServingReport = { readonly serverId: ServerId; readonly report: ProjectReport };

/**
 * What follows from a report. `right`: nothing. `restore`: `current` should point to this release, which the server has.
 * `later`: the same, but something runs there, and its own result may put it right. It must be checked again when that
 * has ended, because it may end without a report: an offer that is canceled was never taken.
 */
export type ServingCheck =
  | { readonly kind: "right" }
  | { readonly kind: "correct_release"; readonly release: number }
  | { readonly kind: "later" };

/** Compares the release that a server serves with the one that it should serve. */
export function checkServing(lane: Lane, { serverId, report }: ServingReport): ServingCheck {
  const live = liveOf(lane);
  if (live === null || live.serverId !== serverId) return { kind: "right" };
  const { release } = live.state;
  if (report.release === release || !report.releases.includes(release)) return { kind: "right" };
  return activeOf(lane)?.serverId === serverId ? { kind: "later" } : { kind: "correct_release", release };
}
