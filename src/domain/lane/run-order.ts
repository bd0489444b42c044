import { RunOrder } from "#contract/agent-protocol.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Lane, liveOf, type Named, onceLiveOf } from "#domain/lane/lane.ts";

/**
 * Whether the activation permit goes out with the order: for a rollback to files that the server still has. It saves
 * a round trip, and from the moment it is sent the rollback is past canceling.
 */
export function ridesAlong(lane: Lane, deployment: Named<"offered">): boolean {
  const { reuseRelease, serverId } = deployment;
  if (reuseRelease === null) return false;
  return onceLiveOf(lane).some(
    (one) => one.serverId === serverId && one.state.release === reuseRelease && one.state.releaseKept,
  );
}

/** The order that offers a deployment to its agent, made from the lane as it is when it is sent. */
export function runOrder(lane: Lane, deployment: Named<"offered">, projectId: ProjectId): RunOrder {
  const { plan } = deployment.state;
  return RunOrder.parse({
    run_id: deployment.runId,
    deployment_id: deployment.id,
    project_id: projectId,
    project_name: plan.projectName,
    domain: plan.domain,
    version: deployment.version,
    source: { repository: plan.repository, branch: deployment.branch, commit: deployment.requestedCommit },
    reuse_release: ridesAlong(lane, deployment) ? deployment.reuseRelease : null,
    permitted: ridesAlong(lane, deployment),
    root_directory: plan.rootDirectory,
    build_command: plan.buildCommand,
    output_directory: plan.outputDirectory,
    activate_command: plan.activateCommand,
    shared_paths: plan.sharedPaths,
    health_check: plan.healthCheck,
    timeouts: plan.timeouts,
    keep_releases: releasesToKeep(lane, plan.keepReleases),
  });
}

/**
 * The releases that stay on the server once the deployment is live, besides its own: the live one, always, and the
 * newest others that were live, until there are `keepReleases` with the new one.
 */
export function releasesToKeep(lane: Lane, keepReleases: number): number[] {
  const live = liveOf(lane);
  const onceLive = onceLiveOf(lane)
    .filter((one) => one.state.releaseKept)
    .map((one) => one.state.release);
  const newestFirst = [...new Set(live === null ? onceLive : [live.state.release, ...onceLive])];
  return newestFirst.slice(0, Math.max(1, keepReleases - 1));
}
