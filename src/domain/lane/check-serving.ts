import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { ServerId } from "#contract/ids.ts";
import { activeOf, type Lane, liveOf, isIn } from "#domain/lane/lane.ts";

/** An agent's report about a project. */
export type ServingReport = { readonly serverId: ServerId; readonly report: ProjectReport };

/**
 * The result of the check. `right`: the server serves the right release. `correct_release`: the server has this
 * release, and must switch to it. `later`: the release is wrong, but a deployment is active on the server and its
 * result may correct it. The caller checks again when that deployment has ended, because it may end without a report: a
 * canceled offer was never accepted.
 */
export type ServingCheck =
  | { readonly kind: "right" }
  | { readonly kind: "correct_release"; readonly release: number }
  | { readonly kind: "later" };

/** Compares the release that a server serves with the release that it should serve. */
export function checkServing(lane: Lane, { serverId, report }: ServingReport): ServingCheck {
  const live = liveOf(lane);
  if (live === null || live.serverId !== serverId) return { kind: "right" };
  const { release } = live.state;
  if (report.release === release || !report.releases.includes(release)) return { kind: "right" };
  return activeOf(lane)?.serverId === serverId ? { kind: "later" } : { kind: "correct_release", release };
}

/** Records which releases a server still has. Unchanged deployments stay the same objects. */
export function noteReport(lane: Lane, serverId: ServerId, report: Pick<ProjectReport, "releases">): Lane {
  const kept = new Set(report.releases);
  const deployments = lane.deployments.map((one) => {
    if (!isIn(one, "live", "superseded") || one.serverId !== serverId) return one;
    const releaseKept = kept.has(one.state.release);
    return releaseKept === one.state.releaseKept ? one : { ...one, state: { ...one.state, releaseKept } };
  });
  return { ...lane, deployments };
}
