import type { ToAgent } from "#contract/agent-protocol.ts";
import type { ProjectId, RunId, ServerId } from "#contract/ids.ts";
import { RESEND_MS } from "#domain/lane/deadlines.ts";
import type { Decision } from "#domain/lane/decision.ts";
import { serversOf } from "#domain/lane/fleet.ts";
import {
  activeOf,
  isIn,
  type Lane,
  liveOf,
  type Named,
  type Placement,
  type Run,
} from "#domain/lane/lane.ts";
import { isPreapproved, runOrder } from "#domain/lane/run-order.ts";
import {
  type Carried,
  carriedWith,
  currentRuns,
  hasSeveral,
  isRunIn,
  replaceRun,
  type RunIn,
  runOn,
  runsOf,
} from "#domain/lane/runs.ts";
import { placementOf, replacePlacement } from "#domain/lane/placements.ts";
import type { DeploymentVariables } from "#domain/lane/variables.ts";
import { backOffMs } from "#contract/lib/back-off.ts";

/**
 * A message to an agent. `variables`: add the values of these variables to the order first. `sealFor`: add the seal keys of
 * these servers, which take what it builds.
 */
export type PendingMessage = {
  runId: RunId;
  serverId: ServerId;
  message: ToAgent;
  variables: DeploymentVariables | null;
  sealFor: readonly ServerId[];
};

/**
 * The messages to send to the agents of current runs: messages that were not sent yet, or not answered in time. They
 * follow from the lane, so a message that was lost with its isolate is sent again.
 */
export function pendingMessages(lane: Lane, projectId: ProjectId, now: number): PendingMessage[] {
  return runsToTell(lane, now).flatMap(({ id }) => pendingMessage(lane, id, projectId, now) ?? []);
}

/** The runs whose agents have a message to get. Cheaper than the messages, which contain whole orders. */
export function runsToTell(lane: Lane, now: number): Run[] {
  return currentRuns(lane).filter((run) => isDue(run, now));
}

function isDue(run: Run, now: number): run is RunIn<"offered" | "running"> {
  const isSent = isRunIn(run, "offered") || (isRunIn(run, "running") && run.state.ending !== null);
  if (!isSent) return false;
  const { lastSend } = run.state;
  return lastSend === null || now >= lastSend.sentAt + RESEND_MS;
}

/** The message to the agent of one run; null: none is due. */
export function pendingMessage(
  lane: Lane,
  runId: RunId,
  projectId: ProjectId,
  now: number,
): PendingMessage | null {
  const deployment = carriedWith(lane, runId);
  const run = deployment === null ? undefined : runsOf(deployment).find(({ id }) => id === runId);
  if (deployment === null || run === undefined || !isDue(run, now)) return null;
  return messageTo(lane, deployment, run, projectId);
}

function messageTo(
  lane: Lane,
  deployment: Carried,
  run: RunIn<"offered" | "running">,
  projectId: ProjectId,
): PendingMessage | null {
  const { id: runId, serverId } = run;
  if (isRunIn(run, "offered")) {
    const order = runOrder(lane, deployment, run, projectId);
    if (order === null) return null;
    const message = { type: "run", order } as const;
    const variables = variablesFor(lane, deployment, run);
    return { runId, serverId, message, variables, sealFor: sealedFor(deployment, run) };
  }
  const message = {
    type: "stop",
    project_id: projectId,
    deployment_id: deployment.id,
    run_id: runId,
  } as const;
  return { runId, serverId, message, variables: null, sealFor: [] };
}

/** The servers that must open what a run builds: all of the project, because its own server may have to take it later. */
function sealedFor({ state, serverId }: Carried, { builds }: Run): readonly ServerId[] {
  return builds === undefined || state.plan === null ? [] : serversOf(state.plan, serverId);
}

/** A run for code that is live gets the variables that are live. They may be older than what its server has seen. */
function variablesFor(lane: Lane, deployment: Carried, { goesBackTo }: Run): DeploymentVariables | null {
  if (goesBackTo === null && isIn(deployment, "active")) return deployment.variables;
  const revision = liveOf(lane)?.variables?.revision ?? 0;
  return deployment.variables === null && revision === 0 ? null : { revision, deployed: true };
}

/**
 * Records that a message is being sent, before it is sent. A rollback whose permit may have arrived can therefore not be
 * canceled, even if the isolate dies now.
 */
export function noteSent(lane: Lane, runId: RunId, now: number): Lane {
  return noteAttempt(lane, runId, { sentAt: now, undelivered: false }, (deployment, run) => {
    const isFirst = run.state.permit === "unsent";
    if (isFirst) return isPreapproved(lane, deployment, run) ? "sending" : "unsent";
    return "sent";
  });
}

/** Records that the message was not delivered. This concerns only the last attempt: an earlier one may have arrived. */
export function noteUndelivered(lane: Lane, runId: RunId, now: number): Lane {
  return noteAttempt(lane, runId, { sentAt: now, undelivered: true }, (_, { state }) =>
    state.permit === "sending" ? "unsent" : state.permit,
  );
}

/**
 * As `noteUndelivered`. The log of a deployment to several servers says once that it waits for a server: the others can take
 * their orders, and then nothing else happens until its deadline.
 */
export function decideUndelivered(lane: Lane, runId: RunId, now: number): Decision {
  const next = noteUndelivered(lane, runId, now);
  const active = activeOf(next);
  const run = active?.state.runs.find(({ id }) => id === runId);
  if (active === null || run === undefined || !isRunIn(run, "offered") || !isAwaited(active, run))
    return { lane: next, effects: [] };
  const { id: deploymentId } = active;
  const { serverId, state } = run;
  const until = new Date(state.deadlineAt).toISOString();
  const message = `Not connected: waiting until ${until}`;
  return {
    lane: replaceRun(next, { ...run, state: { ...state, isAway: true } }),
    effects: [{ type: "log", deploymentId, serverId, stage: "queued", message }],
  };
}

/** Whether the log does not say yet that a server is awaited. Most servers that are not connected can be left out instead. */
function isAwaited(active: Named<"active">, { state, builds }: Offered): boolean {
  const skips = active.state.plan.fleet?.rollout.offline === "skip";
  return hasSeveral(active.state) && state.isAway === undefined && (builds !== undefined || !skips);
}

type Offered = RunIn<"offered">;

function noteAttempt(
  lane: Lane,
  runId: RunId,
  lastSend: NonNullable<Offered["state"]["lastSend"]>,
  permitOf: (deployment: Carried, run: Offered) => Offered["state"]["permit"],
): Lane {
  const deployment = carriedWith(lane, runId);
  const run = currentRuns(lane).find(({ id }) => id === runId);
  if (deployment === null || run === undefined) return lane;
  if (isRunIn(run, "offered")) {
    const permit = permitOf(deployment, run);
    return replaceRun(lane, { ...run, state: { ...run.state, lastSend, permit } });
  }
  if (isRunIn(run, "running") && run.state.ending !== null)
    return replaceRun(lane, { ...run, state: { ...run.state, lastSend } });
  return lane;
}

/** The time between two tries, for an agent that is connected and fails to remove the project. */
const BETWEEN_TRIES = { firstMs: RESEND_MS, longestMs: 60 * 60_000 };

export type PendingRemoval = { serverId: ServerId; message: ToAgent };

/**
 * The messages to servers that must remove the project and have not confirmed it. An offline server gets its message
 * when its agent connects. A server with an active deployment gets none, because it would remove the new release too.
 */
export function pendingRemovals(lane: Lane, projectId: ProjectId, now: number): PendingRemoval[] {
  return lane.placements.flatMap((placement) => {
    const dueAt = removalSendAt(lane, placement);
    if (placement.state.name !== "leaving" || dueAt === null || now < dueAt) return [];
    const message = { type: "remove_project", project_id: projectId, purge: placement.state.purge } as const;
    return [{ serverId: placement.serverId, message }];
  });
}

/** When the next message is sent, in Unix milliseconds; null if the next one waits for an agent to connect. */
export function nextRemovalAt(lane: Lane): number | null {
  const times = lane.placements.flatMap((placement) => removalSendAt(lane, placement) ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

/** Records that the message was sent. */
export function noteRemovalSent(lane: Lane, serverId: ServerId, undelivered: boolean, now: number): Lane {
  const placement = placementOf(lane, serverId);
  if (placement === null || placement.state.name !== "leaving") return lane;
  const tries = placement.state.tries + (undelivered ? 0 : 1);
  return replacePlacement(lane, {
    serverId,
    state: { ...placement.state, lastSend: { sentAt: now, undelivered }, tries },
  });
}

function removalSendAt(lane: Lane, { serverId, state }: Placement): number | null {
  if (state.name !== "leaving" || runOn(lane, serverId) !== null) return null;
  if (state.lastSend === null) return 0;
  if (state.lastSend.undelivered) return null;
  return state.lastSend.sentAt + backOffMs(state.tries, BETWEEN_TRIES);
}
