import type { RunEvents, RunEventsAnswer } from "#contract/agent-protocol.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { Result } from "#contract/problems.ts";
import type { AgentContext } from "#worker/context.ts";

/** Hands an agent's report to the project's lane. What is not this server's run has the answer of one that is over. */
export async function reportRunEvents(
  context: AgentContext,
  deploymentId: DeploymentId,
  { project_id, run_id, events }: RunEvents,
): Promise<Result<RunEventsAnswer, never>> {
  const { serverId } = context;
  return await context.lanes.getByName(project_id).report({ serverId, deploymentId, runId: run_id, events });
}
