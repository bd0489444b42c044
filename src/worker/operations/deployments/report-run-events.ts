import type { RunEvents, RunEventsAnswer } from "#contract/agent-events.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { Result } from "#contract/problems.ts";
import { keptReport } from "#domain/kept-report.ts";
import type { AgentRequestContext } from "#worker/context.ts";

/** Passes an agent's report to the project's lane. A run of another server gets the answer for a run that has ended. */
export async function reportRunEvents(
  context: AgentRequestContext,
  deploymentId: DeploymentId,
  { project_id, run_id, events }: RunEvents,
): Promise<Result<RunEventsAnswer, never>> {
  const kept = events.map((event) =>
    event.type === "result" ? { ...event, project: keptReport(event.project) } : event,
  );
  const command = { serverId: context.serverId, deploymentId, runId: run_id, events: kept };
  return await context.lanes.getByName(project_id).report(command);
}
