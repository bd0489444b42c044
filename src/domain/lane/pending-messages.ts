import type { ToAgent } from "#contract/agent-protocol.ts";
import type { DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";
import { RESEND_MS } from "#domain/lane/deadlines.ts";
import {
  activeOf,
  findDeployment,
  isIn,
  type Lane,
  type Named,
  replaceDeployment,
  type Placement,
} from "#domain/lane/lane.ts";
import { isPreapproved, runOrder } from "#domain/lane/run-order.ts";
import { placementOf, replacePlacement } from "#domain/lane/placements.ts";
import type { DeploymentVariables } from "#domain/lane/variables.ts";
import { backOffMs } from "#contract/lib/back-off.ts";

/** The next message to an agent. `variables`: add the values of these variables to the order first. */
export type PendingMessage = {
  deploymentId: DeploymentId;
  serverId: ServerId;
  message: ToAgent;
  variables: DeploymentVariables | null;
};

/**
 * The message to send to the agent of the active deployment: a message that was not sent yet, or not answered in time.
 * It follows from the lane, so a message that was lost with its isolate is sent again.
 */
export function pendingMessage(lane: Lane, projectId: ProjectId, now: number): PendingMessage | null {
  const active = activeOf(lane);
  if (active === null) return null;
  const { id: deploymentId, serverId, runId } = active;
  const { lastSend } = active.state;
  if (lastSend !== null && now < lastSend.sentAt + RESEND_MS) return null;
  if (isIn(active, "offered")) {
    const message = { type: "run", order: runOrder(lane, active, projectId) } as const;
    return { deploymentId, serverId, message, variables: active.variables };
  }
  if (!isIn(active, "running") || active.state.ending === null) return null;
  const message = {
    type: "stop",
    project_id: projectId,
    deployment_id: deploymentId,
    run_id: runId,
  } as const;
  return { deploymentId, serverId, message, variables: null };
}

/**
 * Records that a message is being sent, before it is sent. A rollback whose permit may have arrived can therefore not be
 * canceled, even if the isolate dies now.
 */
export function noteSent(lane: Lane, deploymentId: DeploymentId, now: number): Lane {
  return noteAttempt(lane, deploymentId, { sentAt: now, undelivered: false }, (offered) => {
    const isFirst = offered.state.permit === "unsent";
    if (isFirst) return isPreapproved(lane, offered) ? "sending" : "unsent";
    return "sent";
  });
}

/** Records that the message was not delivered. This concerns only the last attempt: an earlier one may have arrived. */
export function noteUndelivered(lane: Lane, deploymentId: DeploymentId, now: number): Lane {
  return noteAttempt(lane, deploymentId, { sentAt: now, undelivered: true }, ({ state }) =>
    state.permit === "sending" ? "unsent" : state.permit,
  );
}

type Offered = Named<"offered">;

function noteAttempt(
  lane: Lane,
  deploymentId: DeploymentId,
  lastSend: NonNullable<Offered["state"]["lastSend"]>,
  permitOf: (offered: Offered) => Offered["state"]["permit"],
): Lane {
  const deployment = findDeployment(lane, deploymentId);
  if (deployment === null) return lane;
  if (isIn(deployment, "offered")) {
    const permit = permitOf(deployment);
    return replaceDeployment(lane, { ...deployment, state: { ...deployment.state, lastSend, permit } });
  }
  if (isIn(deployment, "running") && deployment.state.ending !== null) {
    return replaceDeployment(lane, { ...deployment, state: { ...deployment.state, lastSend } });
  }
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
  if (state.name !== "leaving" || activeOf(lane)?.serverId === serverId) return null;
  if (state.lastSend === null) return 0;
  if (state.lastSend.undelivered) return null;
  return state.lastSend.sentAt + backOffMs(state.tries, BETWEEN_TRIES);
}
