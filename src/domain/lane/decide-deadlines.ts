import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import type { LogStage } from "#contract/endpoints/logs/schemas.ts";
import { afterAbsence, isOverdue, SERVER_LOST_MS, toStop } from "#domain/lane/deadlines.ts";
import { SYSTEM } from "#domain/events/system-actor.ts";
import type { Decision, Effect } from "#domain/lane/decision.ts";
import { APPROVAL_MS, heldOf } from "#domain/lane/holds.ts";
import { activeOf, type Lane, type Plan, type Run } from "#domain/lane/lane.ts";
import { rollOut } from "#domain/lane/roll-out.ts";
import {
  broken,
  carriedWith,
  currentRuns,
  endRun,
  isRunIn,
  replaceRun,
  type RunIn,
} from "#domain/lane/runs.ts";
import { advance, cancel } from "#domain/lane/transitions.ts";

/**
 * Ends runs whose deadline has passed, so that every deployment ends even if its servers disappear. After the control plane
 * was away, their agents first get time to report.
 * Looks again at what holds the queue, and cancels a deployment that nobody has approved in time.
 */
export function decideDeadlines(lane: Lane, now: number): Decision {
  const active = activeOf(lane);
  let next = lane;
  const effects: Effect[] = [];
  for (const run of currentRuns(lane)) {
    const plan = carriedWith(lane, run.id)?.state.plan ?? null;
    if (!isRunIn(run, "offered", "running") || !isOverdue(run, now) || plan === null) continue;
    const resumed = afterAbsence(run, now);
    const ended = resumed === null ? endOverdueRun(plan, run, now) : { run: resumed, log: null };
    next = replaceRun(next, ended.run);
    if (ended.log !== null && active !== null)
      effects.push({ type: "log", deploymentId: active.id, ...ended.log });
  }
  const decided = rollOut(next, now);
  const checked = active === null ? checkHeld(decided.lane, now) : { lane: decided.lane, effects: [] };
  return { lane: checked.lane, effects: [...effects, ...decided.effects, ...checked.effects] };
}

function checkHeld(lane: Lane, now: number): Decision {
  const held = heldOf(lane);
  if (held === null) return advance(lane, now);
  const { hold } = held.state;
  if (hold.type === "freeze" || now < hold.since + APPROVAL_MS) return advance(lane, now);
  const what = hold.type === "commit" ? "its server did not resolve its commit" : "nobody approved it";
  const days = APPROVAL_MS / 86_400_000;
  return cancel(lane, held, { name: `Gantry, because ${what} for ${days} days`, actor: SYSTEM }, now);
}

function givenUp(plan: Plan, run: RunIn<"offered">): Run {
  const minutes = Math.round(plan.timeouts.queue_seconds / 6) / 10;
  const message = `the server's agent did not accept the deployment within ${minutes} min; check that it is running and connected`;
  return broken(run, { code: "server_offline", message, stage: "queued" }, { isReported: false });
}

type Overdue = {
  readonly run: Run;
  readonly log: { readonly stage: LogStage; readonly message: string } | null;
};

function endOverdueRun(plan: Plan, run: RunIn<"offered" | "running">, now: number): Overdue {
  if (isRunIn(run, "offered")) return { run: givenUp(plan, run), log: null };
  if (!isRunIn(run, "running")) return { run, log: null };
  const { lastContactAt, ending, stage } = run.state;
  if (now >= lastContactAt + SERVER_LOST_MS) {
    const message = `the server lost contact for ${SERVER_LOST_MS / 60_000} min`;
    return { run: endRun(run, { code: "server_lost", message, stage }), log: null };
  }
  if (ending !== null) return { run: endRun(run), log: null };
  // The agent should have ended the run itself. It now gets a stop message, and time to confirm it.
  const failure: DeploymentFailure = {
    code: "timed_out",
    message: `the stage ${stage} exceeded its timeout`,
    stage,
  };
  const stopping = toStop(run.state, { type: "fail", failure }, now);
  return {
    run: { ...run, state: { ...run.state, ...stopping } },
    log: { stage, message: `Timeout: ${failure.message}; stopping the run` },
  };
}
