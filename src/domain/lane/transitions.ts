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

/**
 * Offers the next queued deployment to the agent, if no deployment is active. A `config` deployment now gets its code:
 * the live one's, which may have changed since it was queued. If nothing is live, it fails, and the next one is offered.
 */
export function advance(lane: Lane, now: number): Decision {
  const [next] = queuedOf(lane);
  if (next === undefined || activeOf(lane) !== null) return { lane, effects: [] };
  const live = liveOf(lane);
  if (next.kind === "config" && live === null) return fail(lane, next, nothingLive, now);
  const { plan } = next.state;
  const deadlineAt = now + plan.timeouts.queue_seconds * 1000;
  const offered = replaceDeployment(lane, {
    ...next,
    ...(next.kind === "config" && live !== null ? codeOf(live) : {}),
    state: { name: "offered", deadlineAt, lastSend: null, permit: "unsent", plan },
  });
  return { lane: addPlacement(offered, next.serverId), effects: [] };
}

const nothingLive: Failure = {
  code: "not_live",
  message: "the deployments before it ended, and none is live: there is nothing to deploy again",
  stage: "queued",
};

/** The fields about the code of a deployment that deploys the code of another one again. */
export function codeOf(source: LaneDeployment) {
  return {
    codeVersion: source.codeVersion,
    reuseRelease: isIn(source, "live", "superseded") ? source.state.release : null,
    branch: source.branch,
    requestedCommit: source.commitSha,
    inBranch: false,
    commitSha: source.commitSha,
    commitMessage: source.commitMessage,
  };
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
    return withEffects(effects, advance(removeDeployment(lane, id), now));
  }
  const ended = replaceDeployment(lane, { ...deployment, deleted: false, state });
  return withEffects(effects, advance(ended, now));
}

function withEffects(before: readonly Effect[], { lane, effects }: Decision): Decision {
  return { lane, effects: [...before, ...effects] };
}

function startOf(deployment: LaneDeployment): number | null {
  return isIn(deployment, "running") ? deployment.state.startedAt : null;
}

/**
 * The deployments that no decision needs: those that ended without being live, and all but the newest hundred of those
 * that were live. The lane drops them when the database has their final state. `config` deployments are counted apart, so
 * that many changes of settings do not displace the code that a project can be rolled back to.
 */
export function discardable(lane: Lane): LaneDeployment[] {
  const ended = lane.deployments.filter((one) => isIn(one, "failed", "canceled"));
  const superseded = lane.deployments.filter((one) => isIn(one, "superseded"));
  const oldestOf = (some: readonly LaneDeployment[]) => some.at(-MAX_REMEMBERED)?.version ?? 0;
  const oldestCode = oldestOf(superseded.filter(({ kind }) => kind !== "config"));
  const oldestChange = oldestOf(superseded.filter(({ kind }) => kind === "config"));
  const isOld = ({ kind, version }: LaneDeployment) =>
    version < oldestCode || (kind === "config" && version < oldestChange);
  return [...ended, ...superseded.filter(isOld)];
}
