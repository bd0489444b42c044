import type { Processes } from "#contract/endpoints/processes/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findServedProject } from "#worker/db/projects/served-project.ts";
import { askAgent, requestAbout } from "#worker/operations/repositories/ask-agent.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { processSources } from "#worker/views/processes-view.ts";
import { timestamp, timestampOrNull } from "#worker/views/timestamp.ts";

/** Returns what a project's server runs: as it sees it now, or as it reported it last if it does not answer. */
export async function getProcesses(context: Context, id: ProjectId): Promise<Result<Processes, "not_found">> {
  const project = await findServedProject(context.rows, id);
  if (project === null) return notFound("project");
  const { ingressProblem: ingress_problem } = project;
  const sources = processSources(project);
  const { request_id, project_id } = requestAbout(context, project);
  const request = { type: "read_processes", request_id, project_id } as const;
  const answer = await askAgent(context, project, request);
  if (answer.ok)
    return succeed({
      processes: answer.value.processes,
      checked_at: timestamp(context.clock.now()),
      ingress_problem,
      sources,
    });
  return succeed({
    processes: project.reportedProcesses ?? [],
    checked_at: timestampOrNull(project.confirmedAt ?? project.servingCheckedAt),
    ingress_problem,
    sources,
  });
}
