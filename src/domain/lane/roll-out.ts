import type { DeploymentStage } from "#contract/endpoints/deployments/schemas.ts";
import type { ServerId } from "#contract/ids.ts";
import { durationText } from "#contract/lib/duration-text.ts";
import { SYSTEM } from "#domain/events/system-actor.ts";
import { isNeeded, isSpare, offerable } from "#domain/lane/builders.ts";
import { awaitsCanary, holdCanary } from "#domain/lane/canary.ts";
import { catchUp, makeRoom } from "#domain/lane/catch-up.ts";
import { toStop } from "#domain/lane/deadlines.ts";
import type { Decision, Effect } from "#domain/lane/decision.ts";
import { batchOf, minimumOf, nameIn } from "#domain/lane/fleet.ts";
import {
  activeOf,
  type Lane,
  liveOf,
  type Named,
  queuedOf,
  replaceDeployment,
  type Run,
  type Verdict,
} from "#domain/lane/lane.ts";
import { placementOf, replacePlacement, requestRemoval } from "#domain/lane/placements.ts";
import { isMemberOf, mayHavePermit, servedOn } from "#domain/lane/run-order.ts";
import {
  awaitsPermit,
  deploying,
  hasSeveral,
  isRunIn,
  isUnended,
  nthRunId,
  offered,
  releaserOf,
  type RunIn,
  servedBy,
  stamped,
  switchedText,
  withPermit,
  withRun,
} from "#domain/lane/runs.ts";
import { advance, cancel, fail, goLive } from "#domain/lane/transitions.ts";

type Active = Named<"active">;

/** What a rule changes; null: it does not apply. */
type Applied = Decision | null;

/** Each rule must make progress, so that they settle. More rounds than runs can need are an error in a rule. */
const MAX_ROUNDS = 1_000;

/**
 * Applies the rules of a rollout until nothing changes: every report, deadline and request changes facts, and what follows
 * from the facts is decided here. So it does not matter in which order they arrive.
 */
export function rollOut(lane: Lane, now: number): Decision {
  let next = lane;
  const effects: Effect[] = [];
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds += 1) {
    const active = activeOf(next);
    const applied = active === null ? applyLater(next, now) : applyRule(next, active, now);
    if (applied === null) return { lane: next, effects };
    next = applied.lane;
    effects.push(...applied.effects);
  }
  throw new Error("the rules of the rollout do not settle");
}

function applyRule(lane: Lane, active: Active, now: number): Applied {
  return (
    noteEnds(lane, active, now) ??
    offerRest(lane, active, now) ??
    skipAway(lane, active) ??
    decideVerdict(lane, active) ??
    stopRuns(lane, active, now) ??
    goBack(lane, active, now) ??
    givePermit(lane, active, now) ??
    conclude(lane, active, now)
  );
}

/** While no deployment is active, servers catch up, unless the next deployment waits for them to stop. */
function applyLater(lane: Lane, now: number): Applied {
  const caught = catchUp(lane, now);
  if (caught === null) return null;
  const isFree = queuedOf(lane).length > 0 && makeRoom(caught.lane, now) === null;
  if (!isFree) return caught;
  const next = advance(caught.lane, now);
  return { lane: next.lane, effects: [...caught.effects, ...next.effects] };
}

function changed(lane: Lane, next: Active, effects: readonly Effect[] = []): Decision {
  return { lane: replaceDeployment(lane, next), effects };
}

/** Notes the time at which each run has ended. Only the record of several servers has it. */
function noteEnds(lane: Lane, active: Active, now: number): Applied {
  const { runs } = active.state;
  if (!hasSeveral(active.state) || runs.every((run) => isUnended(run) || run.endedAt !== undefined))
    return null;
  return changed(lane, { ...active, state: { ...active.state, runs: stamped(runs, now) } });
}

/**
 * As soon as the first server has resolved the commit, the others get their orders. If it is left out, the next one resolves
 * it. If a server builds for all, the others get their orders when its build is stored.
 */
function offerRest(lane: Lane, active: Active, now: number): Applied {
  if (active.state.verdict !== null) return null;
  const run = offerable(active).find((one) => isRunIn(one, "waiting"));
  if (run === undefined) return null;
  return changed(lane, withRun(active, { ...run, state: offered(active.state.plan, now) }));
}

/** Leaves out a server that is not connected, or that was lost before its permit, if the project allows it. */
function skipAway(lane: Lane, active: Active): Applied {
  const { fleet } = active.state.plan;
  if (fleet?.rollout.offline !== "skip" || active.state.verdict !== null) return null;
  const left = deploying(active).filter((one) => !isRunIn(one, "skipped")).length;
  if (left <= minimumOf(fleet)) return null;
  const run = deploying(active).find((one) => isAway(one) && !isNeeded(active, one));
  if (run === undefined) return null;
  const message = `Server ${nameIn(fleet, run.serverId)} is left out, because it is not connected`;
  const log = { type: "log", deploymentId: active.id, stage: "queued", message } as const;
  return changed(lane, withRun(active, { ...run, state: { name: "skipped" } }), [log]);
}

function isAway(run: Run): boolean {
  if (isRunIn(run, "offered"))
    return run.state.lastSend?.undelivered === true && run.state.permit === "unsent";
  if (!isRunIn(run, "broken") || run.state.wasPermitted) return false;
  const { code } = run.state.failure;
  return code === "server_offline" || code === "server_lost";
}

/** A run that has broken ends the deployment, unless the others may continue without it. */
function decideVerdict(lane: Lane, active: Active): Applied {
  const { verdict, opened, plan } = active.state;
  if (verdict !== null) return null;
  const runs = active.state.runs.filter((run) => !isSpare(active, run));
  const broken = runs.find((run) => isRunIn(run, "broken"));
  if (broken === undefined) return null;
  const mayContinue = opened && plan.fleet?.rollout.on_failure === "continue" && isReleased(active);
  const good = runs.filter((run) => isUnended(run) || isRunIn(run, "switched")).length;
  if (mayContinue && plan.fleet !== undefined && good >= minimumOf(plan.fleet)) return null;
  const { isReported } = broken.state;
  const where = hasSeveral(active.state) ? { server_id: broken.serverId } : {};
  const failure = { ...broken.state.failure, ...where };
  const fails: Verdict = { type: "fail", failure, actor: isReported ? active.actor : SYSTEM };
  return changed(lane, { ...active, state: { ...active.state, verdict: fails } });
}

function isReleaser(active: Active, { id }: Run): boolean {
  return releaserOf(active)?.id === id;
}

/** After the verdict, runs without a permit stop. Servers that are switching finish first. */
function stopRuns(lane: Lane, active: Active, now: number): Applied {
  const { verdict } = active.state;
  if (verdict === null) return null;
  for (const run of active.state.runs.filter(({ goesBackTo }) => goesBackTo === null)) {
    const isUnsent = isRunIn(run, "offered") && !mayHavePermit(active, run);
    if (isRunIn(run, "waiting") || isUnsent)
      return changed(lane, withRun(active, { ...run, state: { name: "stopped", startedAt: null } }));
    if (!isRunIn(run, "running") || run.state.permitted || run.state.ending !== null) continue;
    return stopRun(lane, active, run, verdict, now);
  }
  return null;
}

function stopRun(lane: Lane, active: Active, run: RunIn<"running">, verdict: Verdict, now: number): Decision {
  const { stage } = run.state;
  const ending = verdict.type === "cancel" ? verdict : ({ type: "stop" } as const);
  const message =
    verdict.type === "cancel"
      ? `Cancel requested by ${verdict.by}`
      : "Stopping, because another server failed";
  return changed(
    lane,
    withRun(active, { ...run, state: { ...run.state, ...toStop(run.state, ending, now) } }),
    [{ type: "log", deploymentId: active.id, stage, message }],
  );
}

/**
 * After a failure or a cancellation, servers that have switched go back to what they served. A server without these files
 * gets them again afterwards (`catchUp`), and a server that served nothing before must remove the project.
 */
function goBack(lane: Lane, active: Active, now: number): Applied {
  const { verdict, runs, plan } = active.state;
  if (verdict === null || staysSwitched(active)) return null;
  const waiting = runs.filter(({ goesBackTo }) => goesBackTo !== null).find(awaitsPermit);
  if (waiting !== undefined) return permit(lane, active, waiting);
  const live = liveOf(lane);
  for (const { serverId } of deploying(active).filter((run) => isRunIn(run, "switched"))) {
    const served = live === null ? null : servedOn(live, serverId);
    if (
      served === null ||
      !served.releaseKept ||
      runs.some((run) => run.serverId === serverId && run.goesBackTo !== null)
    )
      continue;
    const id = nthRunId(active.runId, runs.length);
    const back = { id, serverId, goesBackTo: served.instead ?? served.release, state: offered(plan, now) };
    const message = `Server ${nameIn(plan.fleet, serverId)} goes back to release ${back.goesBackTo}`;
    const log = { type: "log", deploymentId: active.id, stage: "activate", message } as const;
    return changed(lane, { ...active, state: { ...active.state, runs: [...runs, back] } }, [log]);
  }
  return null;
}

/** Whether servers that have switched keep the release of a deployment that has failed on others. */
function staysSwitched({ state: { verdict, plan } }: Active): boolean {
  return verdict?.type === "fail" && plan.fleet?.rollout.on_failure === "stop";
}

function permit(lane: Lane, active: Active, run: RunIn<"running">): Decision {
  const { id: runId, serverId } = run;
  return changed(lane, withRun(active, withPermit(run)), [{ type: "permitted", runId, serverId }]);
}

/** Permits follow when all servers are ready, in batches. */
function givePermit(lane: Lane, active: Active, now: number): Applied {
  const { verdict, opened, quota, pauseUntil, plan } = active.state;
  if (verdict !== null) return null;
  const there = deploying(active).filter((run) => !isRunIn(run, "skipped"));
  const isReady = (run: Run) => isRunIn(run, "running") && run.state.ready && run.state.ending === null;
  if (!opened) {
    const minimum = plan.fleet === undefined ? 1 : minimumOf(plan.fleet);
    if (there.length < minimum || !there.every(isReady)) return null;
    return changed(lane, { ...active, state: { ...active.state, opened: true } });
  }
  const asking = there.filter(awaitsPermit);
  // Usually it is the first. A server that builds for the others can stand before it.
  const next = asking.find((run) => isReleaser(active, run)) ?? asking[0];
  if (next === undefined) return null;
  const wasGiven = there.filter(hadPermit).length;
  if (wasGiven < quota) {
    if (!isReleased(active) && !isReleaser(active, next)) return null;
    return permit(lane, active, next);
  }
  if (there.some((run) => isRunIn(run, "running") && run.state.permitted) || plan.fleet === undefined)
    return null;
  if (awaitsCanary(active)) return holdCanary(lane, active, now);
  const { pause_seconds: pauseSeconds } = plan.fleet.rollout;
  if (pauseUntil === null) return pause(lane, active, now + pauseSeconds * 1000, now);
  if (now < pauseUntil) return null;
  const more = { quota: quota + batchOf(plan.fleet), pauseUntil: null };
  return changed(lane, { ...active, state: { ...active.state, ...more } });
}

function pause(lane: Lane, active: Active, until: number, now: number): Decision {
  const paused: Active = { ...active, state: { ...active.state, pauseUntil: until } };
  if (until === now) return changed(lane, paused);
  const { id: deploymentId, state } = active;
  const message = `${switchedText(active)}, the next in ${durationText((until - now) / 1000)}`;
  return changed(lane, paused, [
    { type: "log", deploymentId, stage: "activate", message },
    { type: "event", event: "deployment.batch", deployment: paused, plan: state.plan, actor: SYSTEM },
  ]);
}

function hadPermit(run: Run): boolean {
  if (isRunIn(run, "running")) return run.state.permitted;
  return isRunIn(run, "switched") || (isRunIn(run, "broken") && run.state.wasPermitted);
}

/** Whether the release command has run, so that other servers may switch. Without a release command, the stage says the same. */
function isReleased(active: Active): boolean {
  const releaser = releaserOf(active);
  if (releaser === null || isRunIn(releaser, "switched")) return true;
  if (isRunIn(releaser, "broken"))
    return releaser.state.wasPermitted && isAfterRelease(releaser.state.failure.stage);
  if (!isRunIn(releaser, "running") || !releaser.state.permitted) return false;
  return isAfterRelease(releaser.state.stage);
}

function isAfterRelease(stage: DeploymentStage): boolean {
  return stage === "start" || stage === "activate" || stage === "verify";
}

/** Ends the deployment when each of its runs has ended. */
function conclude(lane: Lane, active: Active, now: number): Applied {
  const { runs, verdict, plan } = active.state;
  if (runs.some(isUnended)) return null;
  if (verdict === null) return goLive(lane, active, now);
  const left = plan.fleet === undefined ? lane : afterFailure(lane, active);
  switch (verdict.type) {
    case "cancel": {
      // An agent that should have stopped has reported a failure instead.
      const broken = runs
        .filter((run) => isRunIn(run, "broken"))
        .find(({ state }) => state.isReported && !state.wasPermitted);
      if (broken !== undefined) return fail(left, active, broken.state.failure, now, active.actor);
      return cancel(left, active, { name: verdict.by, actor: verdict.actor ?? SYSTEM }, now);
    }
    case "fail":
      return fail(left, active, verdict.failure, now, verdict.actor);
  }
}

/**
 * What servers serve after a deployment that did not go live. A server that should have gone back, and did not, is corrected
 * when it reports what it serves. A server that was behind catches up. Others must remove the project.
 */
function afterFailure(lane: Lane, active: Active): Lane {
  const { runs } = active.state;
  const hasGoneBack = (serverId: ServerId) =>
    runs.some((run) => run.serverId === serverId && run.goesBackTo !== null && isRunIn(run, "switched"));
  const stayed = deploying(active)
    .flatMap(servedBy)
    .filter(({ serverId }) => !hasGoneBack(serverId));
  return stayed.reduce((next, { serverId, release, releaseKept }) => {
    const live = liveOf(next);
    const served = live === null ? null : servedOn(live, serverId);
    if (live !== null && isMemberOf(live, serverId) && served === null) return next;
    if (live === null || served === null) {
      const placement = placementOf(next, serverId);
      return placement === null ? next : replacePlacement(next, requestRemoval(placement, false));
    }
    if (!staysSwitched(active) || !releaseKept) return next;
    const all = live.state.served.map((one) => (one === served ? { ...one, instead: release } : one));
    return replaceDeployment(next, { ...live, state: { ...live.state, served: all } });
  }, lane);
}
