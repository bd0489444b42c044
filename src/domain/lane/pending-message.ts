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
} from "#domain/lane/lane.ts";
import { isPreapproved, runOrder } from "#domain/lane/run-order.ts";

/** The next message to an agent. */
export type PendingMessage = { deploymentId: DeploymentId; serverId: ServerId; message: ToAgent };

/**
 * The message to send to the agent of the active deployment: one that was not sent yet, or not answered in time. It
 * follows from the lane, so a message that was lost with its isolate is sent again.
 */
export function pendingMessage(lane: Lane, projectId: ProjectId, now: number): PendingMessage | null {
  const active = activeOf(lane);
  if (active === null) return null;
  const { id: deploymentId, serverId, runId } = active;
  const { lastSend } = active.state;
  if (lastSend !== null && now < lastSend.sentAt + RESEND_MS) return null;
  if (isIn(active, "offered")) {
    return { deploymentId, serverId, message: { type: "run", order: runOrder(lane, active, projectId) } };
  }
  if (!isIn(active, "running") || active.state.ending === null) return null;
  const message = {
    type: "stop",
    project_id: projectId,
    deployment_id: deploymentId,
    run_id: runId,
  } as const;
  return { deploymentId, serverId, message };
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
