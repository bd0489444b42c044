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

/** Offers the next in the queue to the agent, if nothing holds the lane. */
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

/** building → failed, and on to the next in the queue. */
export function fail(lane: Lane, deployment: LaneDeployment, failure: Failure, now: number): Decision {
  const message = `Failed in ${failure.stage}: ${failure.message} (${failure.code})`;
  return end(
    lane,
    deployment,
    { name: "failed", startedAt: startOf(deployment), finishedAt: now, failure },
    message,
  );
}

/** building → canceled, and on to the next in the queue. */
export function cancel(lane: Lane, deployment: LaneDeployment, by: string, now: number): Decision {
  const state = { name: "canceled", startedAt: startOf(deployment), finishedAt: now } as const;
  return end(lane, deployment, state, `Canceled by ${by}`);
}

/** Carries out what was decided on a run before its agent could answer. */
export function applyEnding(lane: Lane, run: Named<"running">, ending: Ending, now: number): Decision {
  switch (ending.type) {
    case "cancel":
      return cancel(lane, run, ending.by, now);
    case "fail":
      return fail(lane, run, ending.failure, now);
  }
}

/** building → live; what was live before is superseded. */
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
  // One that went live although it was deleted is on no list, yet it is what the server serves: the lane keeps it.
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
 * The deployments that no decision needs any more: those that ended without having been live, and of those that were
 * live all but the newest hundred. The lane drops them once the database has them as they are.
 */
export function discardable(lane: Lane): LaneDeployment[] {
  const ended = lane.deployments.filter((one) => isIn(one, "failed", "canceled"));
  const superseded = lane.deployments.filter((one) => isIn(one, "superseded"));
  return [...ended, ...superseded.slice(0, Math.max(0, superseded.length - MAX_REMEMBERED))];
}
