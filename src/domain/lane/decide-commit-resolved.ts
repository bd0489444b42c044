import type { CommitResolution } from "#contract/agent-answers.ts";
import type { DeploymentId, ServerId } from "#contract/ids.ts";
import type { Decision } from "#domain/lane/decision.ts";
import { findDeployment, isIn, type Lane, replaceDeployment } from "#domain/lane/lane.ts";
import { resolverOf } from "#domain/lane/pins.ts";
import { advance, fail } from "#domain/lane/transitions.ts";

/** An agent's answer. `repository`: from the request, whose deployment may have another one since. */
export type CommitResolved = {
  readonly deploymentId: DeploymentId;
  readonly serverId: ServerId;
  readonly repository: string;
  readonly result: CommitResolution;
};

/**
 * Pins a queued deployment to the commit that its server has resolved. The first answer counts: a later one, or one of
 * another server or repository, changes nothing. A failure ends the deployment, as the same failure of a run would.
 */
export function decideCommitResolved(lane: Lane, resolved: CommitResolved, now: number): Decision {
  const { deploymentId, serverId, repository, result } = resolved;
  const deployment = findDeployment(lane, deploymentId);
  const isAsked =
    deployment !== null &&
    isIn(deployment, "queued") &&
    deployment.pin.name === "unknown" &&
    resolverOf(deployment) === serverId &&
    deployment.state.plan.repository === repository;
  if (!isAsked) return { lane, effects: [] };
  if (!result.ok) return fail(lane, deployment, result.failure, now);
  const { commit_sha: sha, commit_message: commitMessage } = result;
  const pinned = { ...deployment, commitSha: sha, commitMessage, pin: { name: "pinned", sha } as const };
  const next = advance(replaceDeployment(lane, pinned), now);
  const message = `The commit is ${sha}`;
  return {
    lane: next.lane,
    effects: [{ type: "log", deploymentId, stage: "queued", message }, ...next.effects],
  };
}
