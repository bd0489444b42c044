import type { Actor } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Decision, Effect } from "#domain/lane/decision.ts";
import { findDeployment, isIn, type Lane, replaceDeployment } from "#domain/lane/lane.ts";
import { advance } from "#domain/lane/transitions.ts";

/**
 * Approves a queued deployment, also one that is not at the head of the queue yet. A deployment that somebody has already
 * approved stays as it is, so a request that is sent twice has the same result.
 */
export function decideApprove(
  lane: Lane,
  id: DeploymentId,
  actor: Actor,
  now: number,
): Result<Decision, "not_found" | "not_approvable" | "own_deployment"> {
  const deployment = findDeployment(lane, id);
  if (deployment === null || deployment.deleted) return refuse("not_found", `There is no deployment ${id}.`);
  if (deployment.approvedBy !== null) return succeed({ lane, effects: [] });
  if (deployment.approval === "none") return refuse("not_approvable", `${id} needs no approval.`);
  if (!isIn(deployment, "queued"))
    return refuse("not_approvable", `${id} has ended: it is ${deployment.state.name}.`);
  const { approval, actor: starter } = deployment;
  if (approval === "by_another" && starter.type === actor.type && starter.id === actor.id)
    return refuse(
      "own_deployment",
      `The token has started ${id}, so it cannot approve it. Use another token.`,
    );
  const approved = { ...deployment, approvedBy: actor };
  const { plan } = deployment.state;
  const effects: Effect[] = [
    { type: "log", deploymentId: id, stage: "queued", message: `Approved by ${actor.name}` },
    { type: "event", event: "deployment.approved", deployment: approved, plan, actor },
  ];
  const next = advance(replaceDeployment(lane, approved), now);
  return succeed({ lane: next.lane, effects: [...effects, ...next.effects] });
}
