import type { Processes, ProcessesState, ProcessReport } from "#contract/endpoints/processes/schemas.ts";
import type { ProjectRecord } from "#worker/db/projects/find-project.ts";

/** Where the command of each process is from: the project's own setting, or what its latest deployment reported. */
export function processSources({
  settings: { processes },
  detected,
}: Pick<ProjectRecord, "settings" | "detected">): Processes["sources"] {
  const own = Object.entries(processes).filter(([, { command }]) => command !== undefined);
  return {
    ...detected?.repository_definitions?.processes,
    ...Object.fromEntries(own.map(([name]) => [name, "project" as const])),
  };
}

/** The worst state of a project's instances; null if its server reported no processes. */
export function processesState(reported: readonly ProcessReport[] | null): ProcessesState | null {
  if (reported === null || reported.length === 0) return null;
  const states = reported.flatMap(({ instances }) => instances.map(({ state }) => state));
  if (states.includes("crash_looping")) return "crash_looping";
  return states.includes("restarting") ? "restarting" : "running";
}
