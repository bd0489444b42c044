import type { Actor } from "#contract/endpoints/deployments/schemas.ts";
import { isWeakerRule } from "#contract/endpoints/projects/approval-rule.ts";
import type { DeploymentId, MemberId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { canaryDeadline } from "#domain/lane/canary.ts";
import type { Decision, Effect } from "#domain/lane/decision.ts";
import {
  findDeployment,
  isIn,
  type Lane,
  type LaneDeployment,
  type Named,
  replaceDeployment,
} from "#domain/lane/lane.ts";
import { needsApproval } from "#domain/lane/holds.ts";
import { rollOut } from "#domain/lane/roll-out.ts";
import { switchedText } from "#domain/lane/runs.ts";
import { advance } from "#domain/lane/transitions.ts";

/**
 * `person`: the member behind the actor, whom the rule compares; null: nobody is known. `commit`: the full hash that the
 * approver has seen; null: the request does not say. `until`: the end of the wait after the first servers, which the approver
 * has seen, in Unix milliseconds; null: the approval is for the start.
 */
export type Approval = {
  readonly id: DeploymentId;
  readonly actor: Actor;
  readonly person: MemberId | null;
  readonly commit: string | null;
  readonly until: number | null;
};

export type ApprovalRefusal =
  | "not_approvable"
  | "own_deployment"
  | "person_required"
  | "commit_unknown"
  | "commit_changed"
  | "hold_changed";

/**
 * Approves the commit of a queued deployment, also if the deployment is not at the head of the queue yet, or that all servers
 * follow the first ones. A deployment that somebody has already approved stays as it is, so a request that is sent twice has
 * the same result.
 */
export function decideApprove(
  lane: Lane,
  { commit, until, ...approver }: Approval,
  now: number,
): Result<Decision, "not_found" | ApprovalRefusal> {
  const { id, actor } = approver;
  const deployment = findDeployment(lane, id);
  if (deployment === null || deployment.deleted) return refuse("not_found", `There is no deployment ${id}.`);
  if (isIn(deployment, "active") && deployment.state.canary !== undefined)
    return approveCanary(lane, deployment, { commit, until, ...approver }, now);
  if (until !== null)
    return refuse("hold_changed", `v${deployment.version} does not wait after its first servers.`);
  if (deployment.approvedBy !== null)
    return refuseOtherApproved(deployment, commit) ?? succeed({ lane, effects: [] });
  const name = `v${deployment.version}`;
  // A rollback that nothing holds runs without one.
  if (deployment.approval === "none" || isIn(deployment, "active"))
    return refuse("not_approvable", `${name} needs no approval.`);
  if (!isIn(deployment, "queued"))
    return refuse("not_approvable", `${name} has ended: it is ${deployment.state.name}.`);
  if (!needsApproval(lane, deployment, now)) return refuse("not_approvable", `${name} needs no approval.`);
  const notAllowed = refuseApprover(deployment, approver);
  if (notAllowed !== null) return notAllowed;
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

/** Approves that other servers follow the first ones. A repeated request has the same result. */
function approveCanary(
  lane: Lane,
  deployment: Named<"active">,
  { commit, until, ...approver }: Approval,
  now: number,
): Result<Decision, ApprovalRefusal> {
  const { id, state } = deployment;
  const changed = refuseOtherCommit(deployment, commit);
  if (changed !== null) return changed;
  if (state.canary?.name === "given") return succeed({ lane, effects: [] });
  if (state.verdict !== null)
    return refuse("not_approvable", `v${deployment.version} is ending: its servers go back.`);
  // Somebody may have approved the start at the same time, and this request is late or repeated.
  if (until !== canaryDeadline(deployment))
    return refuse(
      "hold_changed",
      `v${deployment.version} waits now because ${switchedText(deployment)}: look at it, and approve this with until.`,
    );
  const notAllowed = refuseApprover(deployment, approver);
  if (notAllowed !== null) return notAllowed;
  const { actor } = approver;
  const approved: Named<"active"> = {
    ...deployment,
    approvedBy: deployment.approvedBy ?? actor,
    state: { ...state, canary: { name: "given" } },
  };
  const message = `Approved by ${actor.name}: the other servers follow`;
  const effects: Effect[] = [
    { type: "log", deploymentId: id, stage: "activate", message },
    { type: "event", event: "deployment.approved", deployment: approved, plan: state.plan, actor },
  ];
  const next = rollOut(replaceDeployment(lane, approved), now);
  return succeed({ lane: next.lane, effects: [...effects, ...next.effects] });
}

type Started = Pick<LaneDeployment, "version" | "approval" | "actor" | "person">;
type Approver = Pick<Approval, "actor" | "person">;

/** Refuses an approver whom the rule of a deployment excludes; null: it does not. */
function refuseApprover(started: Started, approver: Approver) {
  const name = `v${started.version}`;
  if (started.approval === "by_another_person" && approver.actor.member === undefined)
    return refuse(
      "person_required",
      `A person must approve ${name}: in the session of a member, or with a personal token of one.`,
    );
  const isByAnother = isWeakerRule("required", started.approval);
  if (!isByAnother || !hasStarted(approver, started)) return null;
  return refuse("own_deployment", `You have started ${name}, so somebody else must approve it.`);
}

/** Compares people, because one person can have many tokens, and tokens, because not everybody behind them is known. */
function hasStarted(approver: Approver, { actor, person = null }: Started): boolean {
  if (person !== null && approver.person === person) return true;
  return approver.actor.type === actor.type && approver.actor.id === actor.id;
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
