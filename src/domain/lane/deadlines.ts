import { type RunStage, runStages, timeoutName } from "#contract/stages.ts";
import { awaitsPermit, currentRuns, isRunIn, type RunIn } from "#domain/lane/runs.ts";
import { canaryDeadline } from "#domain/lane/canary.ts";
import { nextHoldCheck } from "#domain/lane/holds.ts";
import {
  activeOf,
  type Ending,
  isIn,
  type Lane,
  type LaneDeployment,
  type Plan,
  queuedOf,
  replaceDeployment,
} from "#domain/lane/lane.ts";

/** How long a run may send nothing before its server counts as lost. */
export const SERVER_LOST_MS = 5 * 60_000;

/** A deadline is checked within seconds. If it is checked later than this, the control plane itself was away. */
const AWAY_MS = 60_000;

/** How long agents have to report after the control plane was away. They connect again within 30 s. */
const RETURN_MS = 2 * 60_000;

/** The agent enforces the timeouts. The lane ends the run if the agent has not done so this much later. */
const STAGE_GRACE_MS = 60_000;

/** How long the agent may take to confirm a stop. It gives its processes 10 s to end. */
const STOP_CONFIRM_MS = 2 * 60_000;

/** What changes in a run that is told to end: the stop is sent, and its agent has time to confirm it. */
export function toStop(
  { lastContactAt }: RunIn<"running">["state"],
  ending: Ending,
  now: number,
): Pick<RunIn<"running">["state"], "ending" | "lastSend" | "deadlineAt"> {
  return { ending, lastSend: null, deadlineAt: Math.max(now + STOP_CONFIRM_MS, lastContactAt) };
}

/** How long to wait for an answer before a message is sent again. */
export const RESEND_MS = 20_000;

/** When the lane ends a run whose stage starts now. Times are Unix milliseconds. */
export function stageDeadline(plan: Plan, stage: RunStage, now: number): number {
  return now + stageMs(plan, stage);
}

/** The maximum time for which a deployment can be active, in milliseconds. The others begin after a build for all. */
function longestMs(plan: Plan): number {
  return longestRunMs(plan) * (plan.builder === undefined ? 1 : 2);
}

/** The same for a run: the offer, every stage, and the stop. */
function longestRunMs(plan: Plan): number {
  const offeredMs = plan.timeouts.queue_seconds * 1000;
  const planned = runStages.filter((stage) => stage !== "release" || plan.release_command !== null);
  return planned.reduce((sum, stage) => sum + stageMs(plan, stage), offeredMs + STOP_CONFIRM_MS);
}

function stageMs(plan: Plan, stage: RunStage): number {
  return plan.timeouts[timeoutName(stage)] * 1000 + STAGE_GRACE_MS;
}

/** When a deployment that is queued now has left the queue at the latest, if all others take their maximum time. */
export function queueDeadline(lane: Lane, plan: Plan, now: number): number {
  const ahead = lane.deployments.filter((one) => isIn(one, "queued", "active"));
  const waitMs = ahead.reduce((sum, one) => sum + longestMs(planOf(one) ?? plan), 0);
  return now + waitMs + plan.timeouts.queue_seconds * 1000;
}

/** Gives deployments in the queue a deadline again, after what held the first one has ended. */
export function resumeDeadlines(lane: Lane, now: number): Lane {
  const stopped = queuedOf(lane).filter(({ state }) => state.deadlineAt === null);
  return stopped.reduce((next, one) => {
    const ahead = { ...next, deployments: next.deployments.filter(({ version }) => version < one.version) };
    const deadlineAt = queueDeadline(ahead, one.state.plan, now);
    return replaceDeployment(next, { ...one, state: { ...one.state, deadlineAt } });
  }, lane);
}

type Sent = RunIn<"offered" | "running">;

/** When the lane ends a run whose agent reports nothing more, in Unix milliseconds. */
function endsAt(run: Sent): number {
  const { state } = run;
  if (state.name === "offered") return state.deadlineAt;
  const lostAt = state.lastContactAt + SERVER_LOST_MS;
  // It waits for other servers, which may take as long as they need.
  return awaitsPermit(run) ? lostAt : Math.min(state.deadlineAt, lostAt);
}

/** Whether the time of a run has ended. */
export function isOverdue(run: Sent, now: number): boolean {
  return now >= endsAt(run);
}

/**
 * A run with more time, if the control plane was away when its time ended: its agent could not report, and may have
 * continued the run. null: the control plane was not away.
 */
export function afterAbsence(run: Sent, now: number): Sent | null {
  if (now < endsAt(run) + AWAY_MS) return null;
  const deadlineAt = Math.max(run.state.deadlineAt, now + RETURN_MS);
  if (isRunIn(run, "offered")) return { ...run, state: { ...run.state, deadlineAt } };
  if (!isRunIn(run, "running")) return null;
  const lastContactAt = Math.max(run.state.lastContactAt, now + RETURN_MS - SERVER_LOST_MS);
  return { ...run, state: { ...run.state, deadlineAt, lastContactAt } };
}

function planOf(deployment: LaneDeployment): Plan | null {
  return isIn(deployment, "queued", "active") ? deployment.state.plan : null;
}

/** When the lane must check its active or its held deployment again; null if there is neither. */
export function nextDeadline(lane: Lane): number | null {
  const active = activeOf(lane);
  const times = currentRuns(lane).flatMap((run) => {
    if (!isRunIn(run, "offered", "running")) return [];
    const { state } = run;
    const resendAt = state.lastSend === null ? 0 : state.lastSend.sentAt + RESEND_MS;
    const isSent = state.name === "offered" || state.ending !== null;
    return isSent ? [endsAt(run), resendAt] : [endsAt(run)];
  });
  const check = active === null ? nextHoldCheck(lane) : (canaryDeadline(active) ?? active.state.pauseUntil);
  const all = check === null ? times : [...times, check];
  return all.length === 0 ? null : Math.min(...all);
}
