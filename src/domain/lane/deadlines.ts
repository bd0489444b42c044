import { type RunStage, runStages, timeoutName } from "#contract/stages.ts";
import { activeOf, isIn, type Lane, type LaneDeployment, type Plan } from "#domain/lane/lane.ts";

/** How long a run may be silent before its server counts as lost. */
export const SERVER_LOST_MS = 5 * 60_000;

/** The agent enforces the timeouts; the lane steps in only when it has not, this much later. */
const STAGE_GRACE_MS = 60_000;

/** How long the agent may take to confirm a stop: its own grace is 10 s. */
export const STOP_CONFIRM_MS = 2 * 60_000;

/** How long after an untold or unanswered message it is sent again. */
export const RESEND_MS = 20_000;

/** Until when a stage that begins now may take before the lane ends the run. Times are Unix milliseconds. */
export function stageDeadline(plan: Plan, stage: RunStage, now: number): number {
  return now + stageMs(plan, stage);
}

/** The longest that one deployment can hold the lane, in milliseconds: offered, then every stage, then its stop. */
function longestRunMs(plan: Plan): number {
  const offeredMs = plan.timeouts.queue_seconds * 1000;
  return runStages.reduce((sum, stage) => sum + stageMs(plan, stage), offeredMs + STOP_CONFIRM_MS);
}

function stageMs(plan: Plan, stage: RunStage): number {
  return plan.timeouts[timeoutName(stage)] * 1000 + STAGE_GRACE_MS;
}

/** By when a deployment that joins the queue now has left it: all those ahead taking as long as they may. */
export function queueDeadline(lane: Lane, plan: Plan, now: number): number {
  const ahead = lane.deployments.filter((one) => isIn(one, "queued", "offered", "running"));
  const waitMs = ahead.reduce((sum, one) => sum + longestRunMs(planOf(one) ?? plan), 0);
  return now + waitMs + plan.timeouts.queue_seconds * 1000;
}

function planOf(deployment: LaneDeployment): Plan | null {
  return isIn(deployment, "queued", "offered", "running") ? deployment.state.plan : null;
}

/** When the lane must look at its active deployment again, whatever happens; null with none. */
export function nextDeadline(lane: Lane): number | null {
  const active = activeOf(lane);
  if (active === null) return null;
  const { state } = active;
  const resendAt = state.lastSend === null ? 0 : state.lastSend.sentAt + RESEND_MS;
  if (state.name === "offered") return Math.min(state.deadlineAt, resendAt);
  const endsAt = Math.min(state.deadlineAt, state.lastContactAt + SERVER_LOST_MS);
  return state.ending === null ? endsAt : Math.min(endsAt, resendAt);
}
