import type { DeploymentId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
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
import { rollOut } from "#domain/lane/roll-out.ts";
import { mayHavePermit } from "#domain/lane/run-order.ts";
import { isRunIn, isUnended } from "#domain/lane/runs.ts";
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
  if (!isIn(deployment, "queued", "active")) {
    return refuse("not_cancelable", `v${deployment.version} has ended: it is ${deployment.state.name}.`);
  }
  if (isIn(deployment, "active") && deployment.state.verdict?.type === "fail")
    return refuse("not_cancelable", `v${deployment.version} is ending: it has failed on a server.`);
  if (isActivating(deployment)) {
    return refuse("not_cancelable", `The server is activating v${deployment.version}.`);
  }
  return succeed(stop(lane, deployment, by, now));
}

/** Whether all servers may be switching to the release or have switched, so that the deployment can no longer be canceled. */
export function isActivating(deployment: LaneDeployment): boolean {
  if (!isIn(deployment, "active") || deployment.state.verdict !== null) return false;
  const runs = deployment.state.runs.filter(
    (run) => run.builds !== "only" && !isRunIn(run, "skipped", "broken"),
  );
  return runs.every((run) => {
    if (isRunIn(run, "offered")) return mayHavePermit(deployment, run);
    return isRunIn(run, "running") ? run.state.permitted : isRunIn(run, "switched");
  });
}

/** Ends a deployment that has not been activated. */
export function stop(lane: Lane, deployment: Unended, by: Canceling, now: number): Decision {
  if (!isIn(deployment, "active")) return cancel(lane, deployment, by, now);
  const { verdict, runs, plan } = deployment.state;
  // The run of one server is told only once how it ends.
  const isStopping =
    plan.fleet === undefined &&
    runs.filter(isUnended).every((run) => isRunIn(run, "running") && run.state.ending !== null);
  if (verdict !== null || isStopping) return { lane, effects: [] };
  const canceled = { type: "cancel" as const, by: by.name, actor: by.actor };
  const state = { ...deployment.state, verdict: canceled };
  return rollOut(replaceDeployment(lane, { ...deployment, state }), now);
}
