import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import type { EventActor } from "#contract/endpoints/events/schemas.ts";
import { durationText } from "#contract/lib/duration-text.ts";
import { SYSTEM } from "#domain/events/system-actor.ts";
import { resumeDeadlines } from "#domain/lane/deadlines.ts";
import { configChanges } from "#domain/lane/config-changes.ts";
import type { Decision, Effect } from "#domain/lane/decision.ts";
import { type Canceling, type EventEffect } from "#domain/lane/deployment-events.ts";
import {
  describeHold,
  describePass,
  heldOf,
  holdOf,
  isSameHold,
  mayPass,
  passHeld,
  settle,
  withHold,
} from "#domain/lane/holds.ts";
import { addPlacement, moveTo } from "#domain/lane/placements.ts";
import {
  activeOf,
  type Ending,
  findDeployment,
  isIn,
  type Lane,
  type LaneDeployment,
  type LaneHold,
  liveOf,
  MAX_REMEMBERED,
  type Named,
  queuedOf,
  removeDeployment,
  replaceDeployment,
  type Unended,
} from "#domain/lane/lane.ts";
import { knownPlan, limitPlans } from "#domain/lane/plan-memory.ts";

/**
 * Offers the next queued deployment to the agent, if no deployment is active and nothing holds it. The others wait
 * behind a held deployment, except deployments that may pass it: the first of these is offered.
 */
export function advance(lane: Lane, now: number): Decision {
  const [head] = queuedOf(lane);
  if (head === undefined) return { lane, effects: [] };
  // The held deployment may have been canceled during a rollback that has passed it.
  if (activeOf(lane) !== null) return { lane: resumeUnlessHeld(lane, now), effects: [] };
  const hold = holdOf(lane, head, now);
  if (hold === null) return offer(lane, head, now);
  const held = keepHeld(lane, head, hold);
  const passing = queuedOf(held.lane).find((one) => mayPass(held.lane, one, now));
  if (passing === undefined) return held;
  return withEffects(held.effects, offer(passHeld(held.lane, passing, now), passing, now));
}

function keepHeld(lane: Lane, head: Named<"queued">, hold: LaneHold): Decision {
  const next = withHold(lane, head, hold);
  if (isSameHold(head.state.hold, hold)) return { lane: next, effects: [] };
  const deployment = findDeployment(next, head.id) ?? head;
  const { plan } = head.state;
  const log = {
    type: "log",
    deploymentId: head.id,
    stage: "queued",
    message: describeHold(lane, hold),
  } as const;
  // The event asks people to act, so it follows when they can see the commit.
  if (hold.type === "commit") return { lane: next, effects: [log] };
  const event = { type: "event", event: "deployment.held", deployment, plan, actor: SYSTEM } as const;
  return { lane: next, effects: [log, event] };
}

/**
 * Offers a queued deployment to the agent. A `config` deployment now gets its code: the live deployment's code, which
 * may have changed since it was queued. If nothing is live, it fails, and the next deployment is offered. A `config`
 * deployment and a rollback also get their settings now.
 */
function offer(lane: Lane, next: Named<"queued">, now: number): Decision {
  const live = liveOf(lane);
  if (next.kind === "config" && live === null) return fail(lane, next, nothingLive, now);
  const { plan, ...changes } = settle(lane, next, now).settings;
  const deadlineAt = now + plan.timeouts.queue_seconds * 1000;
  const offered = replaceDeployment(lane, {
    ...next,
    ...(next.kind === "config" && live !== null
      ? { ...codeOf(live), changes: configChanges(live, { ...next, plan }) }
      : {}),
    ...changes,
    state: { name: "offered", deadlineAt, lastSend: null, permit: "unsent", plan },
  });
  const effects = describePass(lane, next, now).map(
    (message) => ({ type: "log", deploymentId: next.id, stage: "queued", message }) as const,
  );
  return { lane: addPlacement(resumeUnlessHeld(offered, now), changes.serverId), effects };
}

function resumeUnlessHeld(lane: Lane, now: number): Lane {
  return heldOf(lane) === null ? resumeDeadlines(lane, now) : lane;
}

const nothingLive: DeploymentFailure = {
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

/**
 * building → failed. The next queued deployment is offered.
 * @param actor who caused the result; Gantry, if it ends the deployment itself
 */
export function fail(
  lane: Lane,
  deployment: Unended,
  failure: DeploymentFailure,
  now: number,
  actor: EventActor = SYSTEM,
): Decision {
  const message = `Failed in ${failure.stage}: ${failure.message} (${failure.code})`;
  const state = { name: "failed", startedAt: startOf(deployment), finishedAt: now, failure } as const;
  return end(lane, deployment, state, { message, actor });
}

/** building → canceled. The next queued deployment is offered. */
export function cancel(
  lane: Lane,
  deployment: Unended,
  { name, actor, replacedBy }: Canceling,
  now: number,
): Decision {
  const state = { name: "canceled", startedAt: startOf(deployment), finishedAt: now } as const;
  const ending = { message: `Canceled by ${name}`, actor };
  return end(lane, deployment, state, replacedBy === undefined ? ending : { ...ending, replacedBy });
}

/** Applies the ending that was decided before the agent reported a result. */
export function applyEnding(lane: Lane, run: Named<"running">, ending: Ending, now: number): Decision {
  switch (ending.type) {
    case "cancel":
      return cancel(lane, run, { name: ending.by, actor: ending.actor ?? SYSTEM }, now);
    case "fail":
      return fail(lane, run, ending.failure, now);
  }
}

/** building → live. The previous live deployment becomes superseded. */
export function goLive(
  lane: Lane,
  run: Named<"running">,
  served: Omit<Named<"live">["state"], "plan">,
): Decision {
  const before = liveOf(lane);
  const live = { ...served, plan: knownPlan(lane, run.state.plan) };
  const duration = durationText((live.finishedAt - live.startedAt) / 1000);
  const ending = { message: `Live: v${run.version}, after ${duration}`, actor: run.actor };
  if (before === null) return end(moveTo(lane, run.serverId), run, live, ending);
  const deployment: LaneDeployment = { ...before, state: { ...before.state, name: "superseded" } };
  const demoted = moveTo(limitPlans(replaceDeployment(lane, deployment), live.plan), run.serverId);
  const superseded = {
    type: "event",
    event: "deployment.superseded",
    deployment,
    plan: run.state.plan,
    actor: run.actor,
    replacedBy: { id: run.id, version: run.version },
  } as const;
  return withEffects([superseded], end(demoted, run, live, ending));
}

function end(
  lane: Lane,
  deployment: Unended,
  state: Named<"live" | "failed" | "canceled">["state"],
  { message, ...who }: Pick<EventEffect, "actor" | "replacedBy"> & { readonly message: string },
): Decision {
  const { id } = deployment;
  const now = state.finishedAt;
  const { plan } = deployment.state;
  const ended: LaneDeployment = { ...deployment, deleted: false, state };
  const effects: Effect[] = [
    { type: "log", deploymentId: id, stage: "end", message },
    { type: "ended", deploymentId: id },
    { type: "event", event: `deployment.${state.name}`, deployment: ended, plan, ...who },
  ];
  // A deleted deployment that went live is not listed, but the server serves it, so the lane keeps it.
  if (deployment.deleted && state.name !== "live") {
    effects.push({ type: "removed", deploymentId: id });
    return withEffects(effects, advance(removeDeployment(lane, id), now));
  }
  return withEffects(effects, advance(replaceDeployment(lane, ended), now));
}

function withEffects(before: readonly Effect[], { lane, effects }: Decision): Decision {
  return { lane, effects: [...before, ...effects] };
}

function startOf(deployment: LaneDeployment): number | null {
  return isIn(deployment, "running") ? deployment.state.startedAt : null;
}

/**
 * The deployments that no decision needs: deployments that ended without being live, and all but the newest hundred of
 * the deployments that were live. The lane drops them when the database has their final state. `config` deployments are
 * counted apart, so that many changes of settings do not displace the code that a project can be rolled back to.
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
