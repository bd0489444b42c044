import type { ProcessName } from "#contract/endpoints/processes/schemas.ts";
import type { ProjectRecord } from "#worker/db/projects/find-project.ts";

/** Whether the project's settings, its repository or its server's last report name the process. */
export function hasProcess(project: ProjectRecord, name: ProcessName): boolean {
  return (
    Object.hasOwn(project.processes, name) ||
    Object.hasOwn(project.detected?.processes ?? {}, name) ||
    (project.reportedProcesses ?? []).some((reported) => reported.name === name)
  );
}
