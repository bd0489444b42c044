import type { AgentContext } from "#agent/context/context.ts";
import type { Reporter } from "#agent/report/reporter.ts";
import { reportProject } from "#agent/report/project-report.ts";
import type { RunResult } from "#contract/agent-events.ts";
import type { ProjectId } from "#contract/ids.ts";

/**
 * Reports the result of a run and what its project serves now. This is the run's last event, and it is sent at once.
 */
export async function reportResult(
  context: AgentContext,
  reporter: Reporter,
  projectId: ProjectId,
  result: RunResult,
): Promise<void> {
  const project = await reportProject(context, projectId);
  const stages = reporter.stageTimes();
  context.runs.note(projectId, result.outcome, stages, context.clock.now());
  reporter.report({ type: "result", result, project, ...(stages.length === 0 ? {} : { stages }) }, "urgent");
}
