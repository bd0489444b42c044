import type { InstanceSpec } from "#agent/apps/supervisor.ts";
import { initialProcess, supervisedOf } from "#contract/endpoints/processes/process-settings.ts";
import { ProjectId } from "#contract/ids.ts";

/** An instance `web-1-0` of a project that runs a shell line in a folder. */
export function shellInstance(folder: string, project: string, line: string): InstanceSpec {
  return {
    project: ProjectId.parse(project),
    name: "web-1-0",
    release: 1,
    command: { argv: ["/bin/sh", "-c", line], cwd: folder, env: { PATH: process.env["PATH"] ?? "" } },
    limits: { memoryMb: null, cpuWeight: 100, tasks: 512 },
    ...supervisedOf(initialProcess),
    stop_seconds: 1,
  };
}
