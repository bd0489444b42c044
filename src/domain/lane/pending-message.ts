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

/** What a server's agent must be told now. */
export type PendingMessage = { deploymentId: DeploymentId; serverId: ServerId; message: ToAgent };

/**
 * What the agent must be told of the active deployment, and has not been, or not lately enough to wait any longer for
 * its answer. It follows from the lane, so a message that was lost with its isolate is due again by itself.
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
 * Notes that the agent is being told, before the message goes out: whatever dies from then on, a rollback whose permit
 * may have arrived cannot be canceled.
 */
export function noteSent(lane: Lane, deploymentId: DeploymentId, now: number): Lane {
  return noteAttempt(lane, deploymentId, { sentAt: now, undelivered: false }, (offered) => {
    const isFirst = offered.state.permit === "unsent";
    if (isFirst) return isPreapproved(lane, offered) ? "sending" : "unsent";
    return "sent";
  });
}

/** Notes that nobody was there to take the message. It takes back this attempt alone: an earlier one may have arrived. */
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
