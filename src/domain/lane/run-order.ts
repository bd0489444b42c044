import { RunOrder } from "#contract/agent-order.ts";
import { agentOf } from "#contract/endpoints/projects/project-settings.ts";
import type { ProjectId, RunId, ServerId } from "#contract/ids.ts";
import {
  isIn,
  type Lane,
  liveOf,
  type Named,
  onceLiveOf,
  type Plan,
  type Run,
  type Served,
} from "#domain/lane/lane.ts";
import { builderIn } from "#domain/lane/builders.ts";
import { placeOf } from "#domain/lane/fleet.ts";
import { artifactTask } from "#domain/lane/stored-builds.ts";
import { type Carried, releaserOf, type RunIn } from "#domain/lane/runs.ts";

type Active = Named<"active">;

/** Whether the agent may have an order with the permit. Such a run can no longer be stopped. */
export function mayHavePermit({ reuseRelease }: Carried, { goesBackTo, state }: RunIn<"offered">): boolean {
  return (reuseRelease !== null || goesBackTo !== null) && state.permit !== "unsent";
}

/**
 * Whether the order contains the activation permit, which saves a round trip: for a deployment of files that the server
 * still has. Not if there are other servers: no server switches before all are ready. The result can change from one order
 * to the next; `mayHavePermit` tells whether a permit was sent.
 */
export function isPreapproved(
  lane: Lane,
  deployment: Carried,
  { serverId, goesBackTo, builds }: Run,
): boolean {
  if (goesBackTo !== null) return true;
  if (!isIn(deployment, "active") || builds !== undefined) return false;
  return deployment.state.plan.fleet === undefined && releaseToReuse(lane, deployment, serverId) !== null;
}

/**
 * The release that a deployment can switch to without a build: the release of the code that it repeats, if the server
 * has that release.
 */
function releaseToReuse(
  lane: Lane,
  { reuseRelease, codeVersion }: Active,
  serverId: ServerId,
): number | null {
  return reuseRelease === null ? null : keptRelease(lane, serverId, codeVersion);
}

/** What a server has of a deployment that was live; null: it never served it. */
export function servedOn({ state }: Named<"live" | "superseded">, serverId: ServerId): Served | null {
  return state.served.find((one) => one.serverId === serverId) ?? null;
}

/** Whether a server is among the servers of a live deployment. It may be behind. */
export function isMemberOf({ state: { plan } }: Named<"live">, serverId: ServerId): boolean {
  return plan?.fleet !== undefined && placeOf(plan.fleet, serverId) !== null;
}

/** The newest release with this code that the server still has; null if there is none. */
export function keptRelease(lane: Lane, serverId: ServerId, codeVersion: number): number | null {
  return keptReleases(lane, serverId, codeVersion)[0] ?? null;
}

/** The releases that the server still has, newest first. @param codeVersion of this code; null: of any */
function keptReleases(lane: Lane, serverId: ServerId, codeVersion: number | null): number[] {
  return onceLiveOf(lane).flatMap((one) => {
    const served = servedOn(one, serverId);
    const isWanted = codeVersion === null || one.codeVersion === codeVersion;
    return isWanted && served?.releaseKept === true ? [served.release] : [];
  });
}

/**
 * The order that offers a run to its agent, built from the current lane each time it is sent. A run that goes back has the
 * code and the settings of the live deployment. null: nobody knows the settings with which the deployment went live.
 */
export function runOrder(
  lane: Lane,
  carried: Carried,
  run: RunIn<"offered">,
  projectId: ProjectId,
): RunOrder | null {
  const { id, serverId, goesBackTo } = run;
  const isLive = isIn(carried, "live");
  const deployment = isIn(carried, "active") && goesBackTo !== null ? backFrom(lane, carried) : carried;
  const { plan } = deployment.state;
  if (plan === null) return null;
  const repeatsCode = deployment.kind !== "deploy" || goesBackTo !== null || isLive;
  // It runs once, on one server. Nothing undoes it.
  const runsRelease = !repeatsCode && isIn(deployment, "active") && releaserOf(deployment)?.id === id;
  const place = plan.fleet === undefined ? null : placeOf(plan.fleet, serverId);
  const { pin } = deployment;
  // The rule for commits by hash does not apply to the tip of a branch.
  const sha = pin.name === "pinned" ? pin.sha : resolvedFor(deployment, plan, id);
  const wasTip = sha !== null && deployment.requestedCommit === null;
  const artifact = artifactTask(lane, deployment, run);
  return RunOrder.parse({
    run_id: id,
    deployment_id: deployment.id,
    project_id: projectId,
    project_name: plan.name,
    version: deployment.version,
    source: {
      repository: plan.repository,
      branch: deployment.branch,
      commit: sha ?? deployment.requestedCommit,
      commits: plan.commits,
      in_branch: deployment.inBranch || wasTip,
      was_live: repeatsCode,
      ...(wasTip ? { was_tip: true } : {}),
    },
    reuse_release: run.builds === undefined ? (goesBackTo ?? reusedBy(lane, deployment, serverId)) : null,
    preapproved: isPreapproved(lane, deployment, run),
    ...agentOf(plan),
    // Migrations are not undone, and migrations of older code must not run against the database of newer code.
    release_command: runsRelease ? plan.release_command : null,
    restart: deployment.restart,
    ...(place === null ? {} : { place: { ...place, release: runsRelease } }),
    ...(plan.maintenance === null ? {} : { maintenance: plan.maintenance }),
    ...(artifact === null ? {} : { artifact }),
    cache: { clear: deployment.clearCache, default_branch: plan.branch },
    keep_releases: releasesToKeep(lane, serverId, plan.keep_releases),
  });
}

/** The active deployment with the code and the settings that its servers go back to. */
function backFrom(lane: Lane, active: Active): Active {
  const live = liveOf(lane);
  if (live === null) return active;
  const { codeVersion, branch, commitSha, variables } = live;
  return {
    ...active,
    ...{ codeVersion, branch, commitSha, requestedCommit: commitSha, inBranch: false, variables },
    pin: { name: "none" },
    state: { ...active.state, plan: live.state.plan ?? active.state.plan },
  };
}

/**
 * A server that catches up may still have the code, such as after a rollback. It may also have switched, and was lost before
 * it could report that: then it must not build the release that it serves.
 */
function reusedBy(lane: Lane, deployment: Carried, serverId: ServerId): number | null {
  if (isIn(deployment, "active")) return releaseToReuse(lane, deployment, serverId);
  return keptRelease(lane, serverId, deployment.codeVersion) ?? deployment.version;
}

/**
 * The commit that the first server or the builder has resolved, for the orders of the others: a branch may have moved since.
 */
function resolvedFor(deployment: Carried, { fleet, builder }: Plan, id: RunId): string | null {
  if (fleet === undefined && builder === undefined) return null;
  const resolves = isIn(deployment, "active") ? builderIn(deployment)?.id : undefined;
  return id === (resolves ?? deployment.runId) ? null : deployment.commitSha;
}

/**
 * The releases to keep on the server when the deployment is live, besides its own: the live one if it is there, and the
 * newest others that were live there, up to `keepReleases` including the new one.
 */
function releasesToKeep(lane: Lane, serverId: ServerId, keepReleases: number): number[] {
  const live = liveOf(lane);
  const onceLive = keptReleases(lane, serverId, null);
  const served = live === null ? null : servedOn(live, serverId);
  const expected = served === null ? [] : [served.instead ?? served.release, served.release];
  const newestFirst = [...new Set([...expected, ...onceLive])];
  return newestFirst.slice(0, Math.max(1, keepReleases - 1));
}
