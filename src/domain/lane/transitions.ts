import type { Failure } from "#contract/endpoints/deployments/schemas.ts";
import type { Decision, Effect } from "#domain/lane/decision.ts";
import { addPlacement, moveTo } from "#domain/lane/placements.ts";
import {
  activeOf,
  type Ending,
  isIn,
  type Lane,
  type LaneDeployment,
  liveOf,
  MAX_REMEMBERED,
  type Named,
  queuedOf,
  removeDeployment,
  replaceDeployment,
} from "#domain/lane/lane.ts";

/** Offers the next queued deployment to the agent, if no deployment is active. */
export function advance(lane: Lane, now: number): Lane {
  const [next] = queuedOf(lane);
  if (next === undefined || activeOf(lane) !== null) return lane;
  const { plan } = next.state;
  const deadlineAt = now + plan.timeouts.queue_seconds * 1000;
  const offered = replaceDeployment(lane, {
    ...next,
    state: { name: "offered", deadlineAt, lastSend: null, permit: "unsent", plan },
  });
  return addPlacement(offered, next.serverId);
}

/** building → failed. The next queued deployment is offered. */
export function fail(lane: Lane, deployment: LaneDeployment, failure: Failure, now: number): Decision {
  const message = `Failed in ${failure.stage}: ${failure.message} (${failure.code})`;
  return end(
    lane,
    deployment,
    { name: "failed", startedAt: startOf(deployment), finishedAt: now, failure },
    message,
  );
}

/** building → canceled. The next queued deployment is offered. */
export function cancel(lane: Lane, deployment: LaneDeployment, by: string, now: number): Decision {
  const state = { name: "canceled", startedAt: startOf(deployment), finishedAt: now } as const;
  return end(lane, deployment, state, `Canceled by ${by}`);
}

/** Applies the ending that was decided before the agent reported a result. */
export function applyEnding(lane: Lane, run: Named<"running">, ending: Ending, now: number): Decision {
  switch (ending.type) {
    case "cancel":
      return cancel(lane, run, ending.by, now);
    case "fail":
      return fail(lane, run, ending.failure, now);
  }
}

/** building → live. The previous live deployment becomes superseded. */
export function goLive(lane: Lane, run: Named<"running">, live: Named<"live">["state"]): Decision {
  const before = liveOf(lane);
  const demoted =
    before === null
      ? lane
      : replaceDeployment(lane, { ...before, state: { ...before.state, name: "superseded" } });
  const seconds = ((live.finishedAt - live.startedAt) / 1000).toFixed(1);
  return end(moveTo(demoted, run.serverId), run, live, `Live: version ${run.version}, after ${seconds} s`);
}

function end(
  lane: Lane,
  deployment: LaneDeployment,
  state: LaneDeployment["state"],
  message: string,
): Decision {
  const { id } = deployment;
  const now = "finishedAt" in state ? state.finishedAt : deployment.createdAt;
  const effects: Effect[] = [
    { type: "log", deploymentId: id, stage: "end", message },
    { type: "ended", deploymentId: id },
  ];
  // A deleted deployment that went live is not listed, but the server serves it, so the lane keeps it.
  if (deployment.deleted && state.name !== "live") {
    effects.push({ type: "removed", deploymentId: id });
    return { lane: advance(removeDeployment(lane, id), now), effects };
  }
  const ended = replaceDeployment(lane, { ...deployment, deleted: false, state });
  return { lane: advance(ended, now), effects };
}

function startOf(deployment: LaneDeployment): number | null {
  return isIn(deployment, "running") ? deployment.state.startedAt : null;
}

/**
 * The deployments that no decision needs: those that ended without being live, and all but the newest hundred of those
 * that were live. The lane drops them when the database has their final state.
 */
export function discardable(lane: Lane): LaneDeployment[] {
  const ended = lane.deployments.filter((one) => isIn(one, "failed", "canceled"));
  const superseded = lane.deployments.filter((one) => isIn(one, "superseded"));
  return [...ended, ...superseded.slice(0, Math.max(0, superseded.length - MAX_REMEMBERED))];
}
