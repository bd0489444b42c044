import type { DeploymentId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { STOP_CONFIRM_MS } from "#domain/lane/deadlines.ts";
import type { Decision } from "#domain/lane/decision.ts";
import {
  findDeployment,
  isIn,
  type Lane,
  type LaneDeployment,
  type Named,
  replaceDeployment,
} from "#domain/lane/lane.ts";
import { mayHavePermit } from "#domain/lane/run-order.ts";
import { cancel } from "#domain/lane/transitions.ts";

/**
 * Ends a deployment before its activation: at once while it waits, else by telling the agent to stop. Asked again
 * while it is stopping, it answers the same.
 */
export function decideCancel(
  lane: Lane,
  id: DeploymentId,
  by: string,
  now: number,
): Result<Decision, "not_cancelable" | "not_found"> {
  const deployment = findDeployment(lane, id);
  if (deployment === null || deployment.deleted) return refuse("not_found", `There is no deployment ${id}.`);
  if (!isIn(deployment, "queued", "offered", "running")) {
    return refuse("not_cancelable", `${id} has ended: it is ${deployment.state.name}.`);
  }
  if (isActivating(deployment)) {
    return refuse("not_cancelable", `${id} is being activated at this moment.`);
  }
  return succeed(stop(lane, deployment, by, now));
}

/** Whether its release may be switched to at this moment, so that it can no longer be taken back. */
export function isActivating(deployment: LaneDeployment): boolean {
  if (isIn(deployment, "offered")) return mayHavePermit(deployment);
  return isIn(deployment, "running") && deployment.state.permitted;
}

/** Ends one that has not been activated. */
export function stop(
  lane: Lane,
  deployment: Named<"queued" | "offered" | "running">,
  by: string,
  now: number,
): Decision {
  if (!isIn(deployment, "running")) return cancel(lane, deployment, by, now);
  if (deployment.state.ending !== null) return { lane, effects: [] };
  const deadlineAt = Math.max(now + STOP_CONFIRM_MS, deployment.state.lastContactAt);
  const stopping = {
    ...deployment.state,
    ending: { type: "cancel" as const, by },
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
        message: `Cancel asked for by ${by}`,
      },
    ],
  };
}
