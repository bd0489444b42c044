import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { ServerId } from "#contract/ids.ts";
import { isIn, type Lane } from "#domain/lane/lane.ts";

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
