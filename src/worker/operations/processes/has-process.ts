import type { ProcessName } from "#contract/endpoints/processes/schemas.ts";
import { didYouMean } from "#contract/lib/suggest.ts";
import { refuse } from "#contract/problems.ts";
import type { ProjectRecord } from "#worker/db/projects/find-project.ts";

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
