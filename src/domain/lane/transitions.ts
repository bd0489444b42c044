import type { ServerId } from "#contract/ids.ts";
import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import type { EventActor } from "#contract/endpoints/events/schemas.ts";
import { durationText } from "#contract/lib/duration-text.ts";
import { SYSTEM } from "#domain/events/system-actor.ts";
import { makeRoom } from "#domain/lane/catch-up.ts";
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
import { chooseBuilder, lostUpload } from "#domain/lane/choose-builder.ts";
import { firstBatchOf, serversOf } from "#domain/lane/fleet.ts";
import { addPlacement, moveTo } from "#domain/lane/placements.ts";
import {
  activeOf,
  findDeployment,
  isIn,
  type Lane,
  type LaneDeployment,
  type LaneHold,
  liveOf,
  MAX_REMEMBERED,
  type Named,
  type Plan,
  queuedOf,
  removeDeployment,
  replaceDeployment,
  type Run,
  type Unended,
} from "#domain/lane/lane.ts";
import { knownPlan, limitPlans } from "#domain/lane/plan-memory.ts";
import { servedOn } from "#domain/lane/run-order.ts";
import { hasSeveral, nthRunId, offered, servedBy, startOf } from "#domain/lane/runs.ts";

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
function offer(waiting: Lane, queued: Named<"queued">, now: number): Decision {
  const busy = makeRoom(waiting, now);
  if (busy !== null) return { lane: busy, effects: [] };
  const lane = withoutCatchUps(waiting);
  const live = liveOf(lane);
  if (queued.kind === "config" && live === null) return fail(lane, queued, nothingLive, now);
  const { plan, ...changes } = settle(lane, queued, now).settings;
  const settled = {
    ...queued,
    ...(queued.kind === "config" && live !== null
      ? { ...codeOf(live), changes: configChanges(live, { ...queued, plan }) }
      : {}),
    ...changes,
  };
  const lost = lostUpload(lane, settled, plan);
  if (lost !== null) return fail(lane, queued, lost, now);
  const builder = chooseBuilder(lane, settled, plan);
  const next = replaceDeployment(lane, {
    ...settled,
    state: begun(settled, plan, builder, now),
  });
  const effects = describePass(lane, queued, now).map(
    (message) => ({ type: "log", deploymentId: queued.id, stage: "queued", message }) as const,
  );
  const servers = placesOf(plan, changes.serverId);
  return { lane: servers.reduce(addPlacement, resumeUnlessHeld(next, now)), effects };
}

/** Servers that have not begun to catch up do so after the deployment, if they still have to. */
function withoutCatchUps(lane: Lane): Lane {
  const live = liveOf(lane);
  if (live === null || live.state.behind === undefined) return lane;
  const { behind: _, ...state } = live.state;
  return replaceDeployment(lane, { ...live, state });
}

/** The state of a deployment that begins: its first server gets the order, or the server that builds for others. */
function begun(
  { runId, serverId }: Pick<LaneDeployment, "runId" | "serverId">,
  plan: Plan,
  builder: ReturnType<typeof chooseBuilder>,
  now: number,
): Named<"active">["state"] {
  const members = serversOf(plan, serverId);
  const all = builder?.builds === "only" ? [builder.serverId, ...members] : members;
  const runs = all.map((server, nth): Run => {
    const isFirst = builder === null ? nth === 0 : server === builder.serverId;
    return {
      id: nthRunId(runId, nth),
      serverId: server,
      goesBackTo: null,
      ...(builder?.serverId === server ? { builds: builder.builds } : {}),
      state: isFirst ? offered(plan, now) : { name: "waiting" },
    };
  });
  const quota = plan.fleet === undefined ? 1 : firstBatchOf(plan.fleet);
  return { name: "active", plan, runs, opened: false, quota, pauseUntil: null, verdict: null };
}

/** The servers that have files of the project while it runs with this plan. */
function placesOf(plan: Plan, first: ServerId): readonly ServerId[] {
  const members = serversOf(plan, first);
  return plan.builder === undefined ? members : [...new Set([...members, plan.builder])];
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
    reuseRelease: isIn(source, "live", "superseded") ? (source.state.served[0]?.release ?? null) : null,
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
  const ended = { startedAt: startOf(deployment), finishedAt: now, ...runsOf(deployment) };
  const state = { name: "failed", ...ended, failure } as const;
  return end(lane, deployment, state, { message, actor });
}

/** building → canceled. The next queued deployment is offered. */
export function cancel(
  lane: Lane,
  deployment: Unended,
  { name, actor, replacedBy }: Canceling,
  now: number,
): Decision {
  const ended = { startedAt: startOf(deployment), finishedAt: now, ...runsOf(deployment) };
  const state = { name: "canceled", ...ended } as const;
  const ending = { message: `Canceled by ${name}`, actor };
  return end(lane, deployment, state, replacedBy === undefined ? ending : { ...ending, replacedBy });
}

/** building → live, with what each server serves. The previous live deployment becomes superseded. */
export function goLive(lane: Lane, run: Named<"active">, now: number): Decision {
  const before = liveOf(lane);
  const plan = knownPlan(lane, run.state.plan);
  const live = {
    name: "live",
    startedAt: startOf(run) ?? now,
    finishedAt: now,
    served: run.state.runs.flatMap(servedBy),
    plan,
    ...runsOf(run),
  } as const;
  const servers = serversOf(run.state.plan, run.serverId);
  const { builder } = run.state.plan;
  // A server that has left the project and builds for it serves the earlier release, which it must remove.
  const hasServed = builder !== undefined && before !== null && servedOn(before, builder) !== null;
  const spared = hasServed ? undefined : builder;
  const duration = durationText((live.finishedAt - live.startedAt) / 1000);
  const ending = { message: `Live: v${run.version}, after ${duration}`, actor: run.actor };
  if (before === null) return end(moveTo(lane, servers, spared), run, live, ending);
  const { runs: _, behind: _none, catchUps: _count, ...wasLive } = withoutDetails(before.state);
  const deployment: LaneDeployment = { ...before, state: { ...wasLive, name: "superseded" } };
  const demoted = moveTo(limitPlans(replaceDeployment(lane, deployment), live.plan), servers, spared);
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

/** The state without what the records of other servers have: a lane has the releases of up to a hundred deployments. */
function withoutDetails(state: Named<"live">["state"]): Named<"live">["state"] {
  const [first, ...others] = state.served;
  if (first === undefined) return state;
  return { ...state, served: [first, ...others.map((one) => ({ ...one, evidence: null }))] };
}

/** What each of several servers did, for the record of a deployment that ends. */
function runsOf({ state }: Unended): { runs?: Run[] } {
  return state.name === "active" && hasSeveral(state) ? { runs: state.runs } : {};
}

function withEffects(before: readonly Effect[], { lane, effects }: Decision): Decision {
  return { lane, effects: [...before, ...effects] };
}

/**
 * The deployments that no decision needs: deployments that ended without being live, and all but the newest hundred of
 * the deployments that were live. The lane drops them when the database has their final state. `config` deployments are
 * counted apart, so that many changes of settings do not displace the code that a project can be rolled back to.
 */
export function discardable(lane: Lane): LaneDeployment[] {
  // As long as a build is stored, the lane knows that it has to be removed.
  const forgotten = lane.deployments.filter(({ build }) => build?.isStored !== true);
  const ended = forgotten.filter((one) => isIn(one, "failed", "canceled"));
  const superseded = forgotten.filter((one) => isIn(one, "superseded"));
  const oldestOf = (some: readonly LaneDeployment[]) => some.at(-MAX_REMEMBERED)?.version ?? 0;
  const oldestCode = oldestOf(superseded.filter(({ kind }) => kind !== "config"));
  const oldestChange = oldestOf(superseded.filter(({ kind }) => kind === "config"));
  const isOld = ({ kind, version }: LaneDeployment) =>
    version < oldestCode || (kind === "config" && version < oldestChange);
  return [...ended, ...superseded.filter(isOld)];
}
