import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import { afterAbsence, SERVER_LOST_MS, STOP_CONFIRM_MS } from "#domain/lane/deadlines.ts";
import { SYSTEM } from "#domain/events/system-actor.ts";
import type { Decision } from "#domain/lane/decision.ts";
import { APPROVAL_MS, heldOf } from "#domain/lane/holds.ts";
import { activeOf, isIn, type Lane, type Named, replaceDeployment } from "#domain/lane/lane.ts";
import { advance, applyEnding, cancel, fail } from "#domain/lane/transitions.ts";

/**
 * Ends the active deployment if its deadline has passed, so that every deployment ends even if its server disappears. After
 * the control plane was away, its agent first gets time to report.
 * Looks again at what holds the queue, and cancels a deployment that nobody has approved in time.
 */
export function decideDeadlines(lane: Lane, now: number): Decision {
  const active = activeOf(lane);
  if (active === null) return checkHeld(lane, now);
  const resumed = afterAbsence(active, now);
  if (resumed !== null) return { lane: replaceDeployment(lane, resumed), effects: [] };
  if (isIn(active, "running")) return endOverdueRun(lane, active, now);
  if (isIn(active, "offered") && now >= active.state.deadlineAt) return giveUp(lane, active, now);
  return { lane, effects: [] };
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

function giveUp(lane: Lane, offered: Named<"offered">, now: number): Decision {
  const minutes = Math.round(offered.state.plan.timeouts.queue_seconds / 6) / 10;
  const message = `the server's agent did not accept the deployment within ${minutes} min; check that it is running and connected`;
  return fail(lane, offered, { code: "server_offline", message, stage: "queued" }, now);
}

function endOverdueRun(lane: Lane, run: Named<"running">, now: number): Decision {
  const { deadlineAt, lastContactAt, ending, stage } = run.state;
  const isLost = now >= lastContactAt + SERVER_LOST_MS;
  if (!isLost && now < deadlineAt) return { lane, effects: [] };
  if (isLost) {
    const message = `the server lost contact for ${SERVER_LOST_MS / 60_000} min`;
    const lost: DeploymentFailure = { code: "server_lost", message, stage };
    return applyEnding(lane, run, ending ?? { type: "fail", failure: lost }, now);
  }
  if (ending !== null) return applyEnding(lane, run, ending, now);
  // The agent should have ended the run itself. It now gets a stop message, and time to confirm it.
  const failure: DeploymentFailure = {
    code: "timed_out",
    message: `the stage ${stage} exceeded its timeout`,
    stage,
  };
  const stopping = { ...run.state, ending: { type: "fail" as const, failure }, lastSend: null };
  const state = { ...stopping, deadlineAt: now + STOP_CONFIRM_MS };
  return {
    lane: replaceDeployment(lane, { ...run, state }),
    effects: [
      { type: "log", deploymentId: run.id, stage, message: `Timeout: ${failure.message}; stopping the run` },
    ],
  };
}
