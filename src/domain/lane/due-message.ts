import type { ToAgent } from "#contract/agent-protocol.ts";
import type { DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";
import { RESEND_MS } from "#domain/lane/deadlines.ts";
import { activeOf, findDeployment, isIn, type Lane, replaceDeployment } from "#domain/lane/lane.ts";
import { runOrder } from "#domain/lane/run-order.ts";

/** What a server's agent must be told now. */
export type DueMessage = { deploymentId: DeploymentId; serverId: ServerId; message: ToAgent };

/**
 * What the agent must be told of the active deployment, and has not been, or not lately enough to wait any longer for
 * its answer. It follows from the lane, so a message that was lost with its isolate is due again by itself.
 */
export function dueMessage(lane: Lane, projectId: ProjectId, now: number): DueMessage | null {
  const active = activeOf(lane);
  if (active === null) return null;
  const { id: deploymentId, serverId, runId } = active;
  const { told } = active.state;
  if (told !== null && now < told.at + RESEND_MS) return null;
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
 * Notes that the agent was, or may have been, told. It is noted before the message goes out, so that a rollback whose
 * permit rides along cannot be canceled while it may be on its way; `kept` afterwards takes that back.
 */
export function noteTold(lane: Lane, deploymentId: DeploymentId, kept: boolean, now: number): Lane {
  const told = { at: now, kept };
  const deployment = findDeployment(lane, deploymentId);
  if (deployment === null) return lane;
  if (isIn(deployment, "offered")) {
    return replaceDeployment(lane, { ...deployment, state: { ...deployment.state, told } });
  }
  if (isIn(deployment, "running") && deployment.state.ending !== null) {
    return replaceDeployment(lane, { ...deployment, state: { ...deployment.state, told } });
  }
  return lane;
}
