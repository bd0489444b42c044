import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import type { ServerId } from "#contract/ids.ts";
import { serversOf } from "#domain/lane/fleet.ts";
import type { Lane, LaneDeployment, Plan, Run } from "#domain/lane/lane.ts";
import { keptRelease } from "#domain/lane/run-order.ts";
import { buildOf, isTakeable, storedBuild } from "#domain/lane/stored-builds.ts";

/** A deployment that begins, as far as it decides who builds. */
type Beginning = Pick<LaneDeployment, "kind" | "codeVersion" | "serverId" | "build">;

/** A server that builds for others. `only`: the project does not run on it. `too`: it also deploys. */
type Builder = { readonly serverId: ServerId; readonly builds: NonNullable<Run["builds"]> };

/**
 * Which server builds for the servers of a deployment that begins. null: none, because `build_on` is not set, a build is
 * stored, or the server in `build_on` still has the files.
 */
export function chooseBuilder(lane: Lane, deployment: Beginning, plan: Plan): Builder | null {
  const { builder } = plan;
  if (builder === undefined || deployment.build !== undefined) return null;
  const isMember = serversOf(plan, deployment.serverId).includes(builder);
  if (deployment.kind !== "deploy") {
    if (storedBuild(lane, deployment) !== null) return null;
    const needing = withoutFiles(lane, deployment, plan);
    if (needing.length === 0 || (isMember && !needing.includes(builder))) return null;
  }
  return { serverId: builder, builds: isMember ? "too" : "only" };
}

/**
 * Why earlier code cannot be deployed again: its build was uploaded and is no longer stored, and a server does not have
 * its files. A build from the repository could be another one. null: it can.
 */
export function lostUpload(lane: Lane, deployment: Beginning, plan: Plan): DeploymentFailure | null {
  const build = deployment.kind === "deploy" ? null : buildOf(lane, deployment);
  if (build === null || build.builtBy !== null || isTakeable(build)) return null;
  const missing = withoutFiles(lane, deployment, plan);
  if (missing.length === 0) return null;
  const message = `the build of v${deployment.codeVersion} was uploaded and is no longer stored, and not all servers have its files: ${missing.join(", ")} would have to build it`;
  return { code: "artifact_unavailable", message, stage: "queued" };
}

function withoutFiles(lane: Lane, { serverId, codeVersion }: Beginning, plan: Plan): ServerId[] {
  return serversOf(plan, serverId).filter((id) => keptRelease(lane, id, codeVersion) === null);
}
