import type { Artifact, ArtifactDigest, ArtifactTask } from "#contract/artifact.ts";
import {
  isIn,
  type Lane,
  type LaneBuild,
  type LaneDeployment,
  liveOf,
  onceLiveOf,
  replaceDeployment,
  type Run,
} from "#domain/lane/lane.ts";

// The builds that servers take instead of building. Without the setting `build_on` and without uploads there are none.

/** The newest build of this code, also if it is no longer stored; null: there was none. */
export function buildOf(lane: Lane, { codeVersion }: Pick<LaneDeployment, "codeVersion">): LaneBuild | null {
  const withCode = lane.deployments.filter((one) => one.codeVersion === codeVersion && !isLost(one));
  return withCode.findLast(({ build }) => build !== undefined)?.build ?? null;
}

/** The stored build of this code; null: there is none. */
export function storedBuild(lane: Lane, deployment: Pick<LaneDeployment, "codeVersion">): LaneBuild | null {
  const build = buildOf(lane, deployment);
  return build !== null && isTakeable(build) ? build : null;
}

/** Whether servers can take a build. */
export function isTakeable({ isStored, isLeaving }: LaneBuild): boolean {
  return isStored && isLeaving !== true;
}

/** Whether the deployment has ended without going live, so that nothing uses its build. */
function isLost(deployment: LaneDeployment): boolean {
  return isIn(deployment, "failed", "canceled");
}

/**
 * What an order says about builds; null: nothing. The servers for which a build is sealed are added when the order is sent.
 */
export function artifactTask(lane: Lane, deployment: LaneDeployment, run: Run): ArtifactTask | null {
  if (run.builds !== undefined) return { type: "make", for: [], only: run.builds === "only" };
  const build = storedBuild(lane, deployment);
  return build === null ? null : { type: "take", artifact: build.artifact, required: build.builtBy === null };
}

/** The deployment's build after its builder has sent one. A deployment has one build. */
export function withSentBuild(
  deployment: LaneDeployment,
  run: Run,
  artifact: Artifact,
): Pick<LaneDeployment, "build"> {
  if (run.builds === undefined || deployment.build !== undefined) return {};
  return { build: { artifact, builtBy: run.serverId, isStored: true } };
}

/** Whether a build must stay stored, because a deployment of the lane has it. */
export function namesBuild(lane: Lane, sha256: ArtifactDigest): boolean {
  return lane.deployments.some(
    ({ build }) => build !== undefined && isTakeable(build) && build.artifact.sha256 === sha256,
  );
}

/**
 * The deployments whose builds are no longer needed. Needed are the builds of the live code, of the newest code before it,
 * and of deployments that have not ended. A build whose removal has begun is not needed.
 */
export function unneededBuilds(lane: Lane): LaneDeployment[] {
  const stored = lane.deployments.filter(({ build }) => build?.isStored === true);
  if (stored.length === 0) return [];
  const live = liveOf(lane)?.codeVersion;
  const before = onceLiveOf(lane).find(({ codeVersion }) => codeVersion !== live)?.codeVersion;
  const unended = lane.deployments.filter((one) => isIn(one, "queued", "active"));
  const needed = new Set([live, before, ...unended.map(({ codeVersion }) => codeVersion)]);
  return stored.filter((one) => one.build?.isLeaving === true || isLost(one) || !needed.has(one.codeVersion));
}

/**
 * Records that the build of a deployment is about to be removed, before it is: a deployment that starts meanwhile does not
 * take it.
 */
export function withLeavingBuild(lane: Lane, { id }: Pick<LaneDeployment, "id">): Lane {
  const deployment = lane.deployments.find((one) => one.id === id);
  if (deployment?.build === undefined) return lane;
  return replaceDeployment(lane, { ...deployment, build: { ...deployment.build, isLeaving: true } });
}

/** Records that the build of a deployment is no longer stored. Its boxes are of no use without it. */
export function withoutStoredBuild(lane: Lane, { id }: Pick<LaneDeployment, "id">): Lane {
  const deployment = lane.deployments.find((one) => one.id === id);
  if (deployment?.build === undefined) return lane;
  const { isLeaving: _, ...build } = deployment.build;
  const artifact = { ...build.artifact, boxes: {} };
  return replaceDeployment(lane, { ...deployment, build: { ...build, artifact, isStored: false } });
}
