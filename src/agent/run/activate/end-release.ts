import { RELEASE_MARKER } from "#build/commands/shell.ts";
import type { AgentContext } from "#agent/context/context.ts";
import type { LeftUnits } from "#agent/isolation/isolation.ts";
import { endLeftProcesses, type Trace } from "#build/process/left-processes.ts";
import { RUN_MARKER } from "#build/process/process-table.ts";
import type { CommandScope } from "#agent/step/run-scope.ts";
import { linkTarget } from "#agent/workspace/current-link.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { releasePath } from "#agent/workspace/releases.ts";
import type { ProjectId } from "#contract/ids.ts";

/** How to find the processes to end: by their units if projects are isolated, and by the markers in their environment. */
export type ReleaseTrace = Trace & { readonly project: ProjectId; readonly units: LeftUnits };

/** @param builds the release that this run builds, if any: processes in its folder belong to the run */
export function traceOfRun(folder: ProjectFolder, runId: string, builds: number | null): ReleaseTrace {
  return {
    project: folder.id,
    units: { kind: "run", marker: runId },
    name: RUN_MARKER,
    hasValue: (value) => value === runId,
    folder: builds === null ? null : releasePath(folder, builds),
  };
}

export function traceOfRelease(folder: ProjectFolder, version: number): ReleaseTrace {
  const path = releasePath(folder, version);
  const units = { kind: "release", version } as const;
  return {
    project: folder.id,
    units,
    name: RELEASE_MARKER,
    hasValue: (value) => value === path,
    folder: path,
  };
}

/** All processes that the project's activate commands left running and that still have the marker. */
export function traceOfProject({ id, releases }: ProjectFolder): ReleaseTrace {
  const hasValue = (value: string) => value.startsWith(`${releases}/`);
  return { project: id, units: { kind: "all" }, name: RELEASE_MARKER, hasValue, folder: null };
}

/**
 * Ends the processes that activate commands left running.
 * @returns the program and pid of each, for the log
 */
export async function endProcesses(context: AgentContext, trace: ReleaseTrace): Promise<readonly string[]> {
  const { isolation, settings } = context;
  const names: string[] = [];
  if (isolation.kind === "projects") {
    const answer = await isolation.endCommands(trace.project, trace.units);
    if (answer.kind === "done")
      for (const word of answer.words.slice(1)) names.push(word.replace(/\/(\d+)$/, " ($1)"));
    else context.log(`${trace.project}: processes cannot be ended: ${answer.reason}`);
  }
  // Also with isolation: an agent without it may have started them before an update.
  for (const { pid, program } of await endLeftProcesses(trace, settings.stopGraceMs))
    names.push(`${program} (${pid})`);
  return names;
}

/** Ends the processes that a release's activate command left running, and logs them. */
export async function endRelease(scope: CommandScope, version: number, trace: ReleaseTrace): Promise<void> {
  const ended = await endProcesses(scope.context, trace);
  if (ended.length === 0) return;
  const what = ended.length === 1 ? "1 process" : `${ended.length} processes`;
  scope.log.system("activate", `ended ${what} that ${linkTarget(version)} left running: ${ended.join(", ")}`);
}
