import type { Actor } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Decision, Effect } from "#domain/lane/decision.ts";
import {
  findDeployment,
  isIn,
  type Lane,
  type LaneDeployment,
  replaceDeployment,
} from "#domain/lane/lane.ts";
import { needsApproval } from "#domain/lane/holds.ts";
import { advance } from "#domain/lane/transitions.ts";

/** `commit`: the full hash that the approver has seen; null: the request does not say. */
export type Approval = {
  readonly id: DeploymentId;
  readonly actor: Actor;
  readonly commit: string | null;
};

export type ApprovalRefusal = "not_approvable" | "own_deployment" | "commit_unknown" | "commit_changed";

/**
 * Approves the commit of a queued deployment, also if the deployment is not at the head of the queue yet. A deployment
 * that somebody has already approved stays as it is, so a request that is sent twice has the same result.
 */
export function decideApprove(
  lane: Lane,
  { id, actor, commit }: Approval,
  now: number,
): Result<Decision, "not_found" | ApprovalRefusal> {
  const deployment = findDeployment(lane, id);
  if (deployment === null || deployment.deleted) return refuse("not_found", `There is no deployment ${id}.`);
  if (deployment.approvedBy !== null)
    return refuseOtherApproved(deployment, commit) ?? succeed({ lane, effects: [] });
  const name = `v${deployment.version}`;
  // A rollback that nothing holds runs without one.
  if (deployment.approval === "none" || isIn(deployment, "offered", "running"))
    return refuse("not_approvable", `${name} needs no approval.`);
  if (!isIn(deployment, "queued"))
    return refuse("not_approvable", `${name} has ended: it is ${deployment.state.name}.`);
  if (!needsApproval(lane, deployment, now)) return refuse("not_approvable", `${name} needs no approval.`);
  const { approval, actor: starter } = deployment;
  if (approval === "by_another" && starter.type === actor.type && starter.id === actor.id)
    return refuse(
      "own_deployment",
      `The token has started ${name}, so it cannot approve it. Use another token.`,
    );
  if (deployment.pin.name === "unknown")
    return refuse(
      "commit_unknown",
      `The commit of ${name} is not known yet: its server resolves it, and may be offline.`,
    );
  const changed = refuseOtherCommit(deployment, commit);
  if (changed !== null) return changed;
  const { commitSha } = deployment;
  const approved = { ...deployment, approvedBy: actor };
  const { plan } = deployment.state;
  const what = commitSha === null ? "" : `: commit ${commitSha}`;
  const effects: Effect[] = [
    { type: "log", deploymentId: id, stage: "queued", message: `Approved by ${actor.name}${what}` },
    { type: "event", event: "deployment.approved", deployment: approved, plan, actor },
  ];
  const next = advance(replaceDeployment(lane, approved), now);
  return succeed({ lane: next.lane, effects: [...effects, ...next.effects] });
}

type WithCommit = Pick<LaneDeployment, "version" | "kind" | "commitSha">;

/**
 * Refuses a repeated approval of another commit than the approved one. Settings apply to the code that is live at their
 * turn, so their commit may have changed since the approval.
 */
export function refuseOtherApproved(approved: WithCommit, commit: string | null) {
  return approved.kind === "config" ? null : refuseOtherCommit(approved, commit);
}

/** Compares the whole hash: another commit with the same first characters can be made. */
function refuseOtherCommit({ version, commitSha }: WithCommit, commit: string | null) {
  if (commit === null || commit.toLowerCase() === commitSha) return null;
  return refuse(
    "commit_changed",
    `v${version} does not deploy ${commit}: its commit is ${commitSha ?? "not known"}.`,
  );
}
