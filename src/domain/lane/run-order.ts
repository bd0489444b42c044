import { RunOrder } from "#contract/agent-order.ts";
import { agentOf } from "#contract/endpoints/projects/project-settings.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import { type Lane, liveOf, type Named, onceLiveOf } from "#domain/lane/lane.ts";

/** Whether the agent may have an order with the permit. Such a deployment can no longer be canceled. */
export function mayHavePermit({ reuseRelease, state }: Named<"offered">): boolean {
  return reuseRelease !== null && state.permit !== "unsent";
}

/**
 * Whether the order contains the activation permit, which saves a round trip: for a deployment of files that the server
 * still has. The result can change from one order to the next; `mayHavePermit` tells whether a permit was sent.
 */
export function isPreapproved(lane: Lane, deployment: Named<"offered">): boolean {
  return releaseToReuse(lane, deployment) !== null;
}

/**
 * The release that a deployment can switch to without a build: the release of the code that it repeats, if the server
 * has that release.
 */
function releaseToReuse(
  lane: Lane,
  { reuseRelease, codeVersion, serverId }: Named<"offered">,
): number | null {
  if (reuseRelease === null) return null;
  return keptRelease(lane, serverId, codeVersion);
}

/** The newest release with this code that the server still has; null if there is none. */
export function keptRelease(lane: Lane, serverId: ServerId, codeVersion: number): number | null {
  const kept = onceLiveOf(lane).find(
    (one) => one.serverId === serverId && one.codeVersion === codeVersion && one.state.releaseKept,
  );
  return kept?.state.release ?? null;
}

/** The order that offers a deployment to its agent, built from the current lane each time it is sent. */
export function runOrder(lane: Lane, deployment: Named<"offered">, projectId: ProjectId): RunOrder {
  const { plan } = deployment.state;
  const repeatsCode = deployment.kind !== "deploy";
  const { pin } = deployment;
  // The rule for commits by hash does not apply to the tip of a branch.
  const wasTip = pin.name === "pinned" && deployment.requestedCommit === null;
  return RunOrder.parse({
    run_id: deployment.runId,
    deployment_id: deployment.id,
    project_id: projectId,
    project_name: plan.name,
    version: deployment.version,
    source: {
      repository: plan.repository,
      branch: deployment.branch,
      commit: pin.name === "pinned" ? pin.sha : deployment.requestedCommit,
      commits: plan.commits,
      in_branch: deployment.inBranch || wasTip,
      was_live: repeatsCode,
      ...(wasTip ? { was_tip: true } : {}),
    },
    reuse_release: releaseToReuse(lane, deployment),
    preapproved: isPreapproved(lane, deployment),
    ...agentOf(plan),
    // Migrations are not undone, and migrations of older code must not run against the database of newer code.
    release_command: repeatsCode ? null : plan.release_command,
    restart: deployment.restart,
    ...(plan.maintenance === null ? {} : { maintenance: plan.maintenance }),
    cache: { clear: deployment.clearCache, default_branch: plan.branch },
    keep_releases: releasesToKeep(lane, deployment.serverId, plan.keep_releases),
  });
}

/**
 * The releases to keep on the server when the deployment is live, besides its own: the live one if it is there, and the
 * newest others that were live there, up to `keepReleases` including the new one.
 */
function releasesToKeep(lane: Lane, serverId: ServerId, keepReleases: number): number[] {
  const live = liveOf(lane);
  const onceLive = onceLiveOf(lane)
    .filter((one) => one.serverId === serverId && one.state.releaseKept)
    .map((one) => one.state.release);
  const isLiveThere = live !== null && live.serverId === serverId;
  const newestFirst = [...new Set(isLiveThere ? [live.state.release, ...onceLive] : onceLive)];
  return newestFirst.slice(0, Math.max(1, keepReleases - 1));
}
