import type { RunEvents, RunEventsAnswer } from "#contract/agent-events.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { Result } from "#contract/problems.ts";
import type { AgentContext } from "#worker/context.ts";

/** Passes an agent's report to the project's lane. A run of another server gets the answer for a run that has ended. */
export async function reportRunEvents(
  context: AgentContext,
  deploymentId: DeploymentId,
  { project_id, run_id, events }: RunEvents,
): Promise<Result<RunEventsAnswer, never>> {
  const { serverId } = context;
  return await context.lanes.getByName(project_id).report({ serverId, deploymentId, runId: run_id, events });
}
