import type { Processes, ProcessName } from "#contract/endpoints/processes/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { didYouMean } from "#contract/lib/suggest.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import type { ProjectRecord } from "#worker/db/projects/find-project.ts";
import { findServedProject } from "#worker/db/projects/served-project.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { askAgent, requestAbout } from "#worker/operations/repositories/ask-agent.ts";
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

/** Whether the project's settings, its repository or its server's last report name the process. */
export function hasProcess(project: ProjectRecord, name: ProcessName): boolean {
  return processNames(project).includes(name);
}

/** Whether a server has said which processes there are. */
export function knowsProcesses({ detected, reportedProcesses }: ProjectRecord): boolean {
  return detected !== null || (reportedProcesses ?? []).length > 0;
}

/** Whether it is known that the project has no such process. */
export function lacksProcess(project: ProjectRecord, name: ProcessName): boolean {
  return knowsProcesses(project) && !hasProcess(project, name);
}

/** The names of the processes that the project's settings, its repository or its server's last report name. */
function processNames(project: ProjectRecord): readonly ProcessName[] {
  const reported = (project.reportedProcesses ?? []).map(({ name }) => name);
  const detected = Object.keys(project.detected?.processes ?? {});
  return [...new Set([...Object.keys(project.settings.processes), ...detected, ...reported])];
}

/** Refuses a request for a process that the project does not have. */
export function noSuchProcess(project: ProjectRecord, name: ProcessName) {
  const names = processNames(project);
  const others = names.length === 0 ? "It has none." : `It has ${names.join(", ")}.`;
  return refuse("not_found", `The project has no process ${name}.${didYouMean(name, names)} ${others}`);
}
