import type { DeploymentId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { isActivating, stop } from "#domain/lane/decide-cancel.ts";
import type { Decision } from "#domain/lane/decision.ts";
import type { Canceling } from "#domain/lane/deployment-events.ts";
import { findDeployment, isIn, type Lane, removeDeployment, replaceDeployment } from "#domain/lane/lane.ts";

/**
 * Deletes a deployment that is not live. A deployment that the lane does not know has ended long ago and is deleted. A
 * running one is stopped; the lane keeps it until the agent has confirmed its end.
 */
export function decideDelete(
  lane: Lane,
  id: DeploymentId,
  by: Canceling,
  now: number,
): Result<Decision, "deployment_live" | "deployment_activating" | "not_found"> {
  const removed = { type: "removed", deploymentId: id } as const;
  const deployment = findDeployment(lane, id);
  if (deployment === null) return succeed({ lane, effects: [removed] });
  if (deployment.deleted) return refuse("not_found", `There is no deployment ${id}.`);
  if (isIn(deployment, "live")) {
    return refuse(
      "deployment_live",
      `v${deployment.version} is live. Deploy or roll back to another version first.`,
    );
  }
  if (isActivating(deployment)) {
    return refuse(
      "deployment_activating",
      `The server is activating v${deployment.version}. Try again when it has ended.`,
    );
  }
  if (!isIn(deployment, "queued", "active")) {
    return succeed({ lane: removeDeployment(lane, id), effects: [removed] });
  }
  const marked = { ...deployment, deleted: true };
  const stopped = stop(replaceDeployment(lane, marked), marked, by, now);
  return succeed({ lane: stopped.lane, effects: [...stopped.effects, removed] });
}
