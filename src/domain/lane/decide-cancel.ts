import type { DeploymentId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { STOP_CONFIRM_MS } from "#domain/lane/deadlines.ts";
import type { Decision } from "#domain/lane/decision.ts";
import type { Canceling } from "#domain/lane/deployment-events.ts";
import {
  findDeployment,
  isIn,
  type Lane,
  type LaneDeployment,
  replaceDeployment,
  type Unended,
} from "#domain/lane/lane.ts";
import { mayHavePermit } from "#domain/lane/run-order.ts";
import { cancel } from "#domain/lane/transitions.ts";

/**
 * Cancels a deployment before its activation. A waiting deployment ends immediately; for a running one, the agent is told
 * to stop. A second request while it is stopping has the same result.
 */
export function decideCancel(
  lane: Lane,
  id: DeploymentId,
  by: Canceling,
  now: number,
): Result<Decision, "not_cancelable" | "not_found"> {
  const deployment = findDeployment(lane, id);
  if (deployment === null || deployment.deleted) return refuse("not_found", `There is no deployment ${id}.`);
  if (!isIn(deployment, "queued", "offered", "running")) {
    return refuse("not_cancelable", `v${deployment.version} has ended: it is ${deployment.state.name}.`);
  }
  if (isActivating(deployment)) {
    return refuse("not_cancelable", `The server is activating v${deployment.version}.`);
  }
  return succeed(stop(lane, deployment, by, now));
}

/** Whether the server may be switching to the release, so that the deployment can no longer be canceled. */
export function isActivating(deployment: LaneDeployment): boolean {
  if (isIn(deployment, "offered")) return mayHavePermit(deployment);
  return isIn(deployment, "running") && deployment.state.permitted;
}

/** Ends a deployment that has not been activated. */
export function stop(lane: Lane, deployment: Unended, by: Canceling, now: number): Decision {
  if (!isIn(deployment, "running")) return cancel(lane, deployment, by, now);
  if (deployment.state.ending !== null) return { lane, effects: [] };
  const deadlineAt = Math.max(now + STOP_CONFIRM_MS, deployment.state.lastContactAt);
  const stopping = {
    ...deployment.state,
    ending: { type: "cancel" as const, by: by.name, actor: by.actor },
    lastSend: null,
    deadlineAt,
  };
  return {
    lane: replaceDeployment(lane, { ...deployment, state: stopping }),
    effects: [
      {
        type: "log",
        deploymentId: deployment.id,
        stage: stopping.stage,
        message: `Cancel requested by ${by.name}`,
      },
    ],
  };
}
