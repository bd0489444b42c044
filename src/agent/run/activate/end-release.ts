import { RELEASE_MARKER } from "#agent/commands/shell.ts";
import { endLeftProcesses, type Trace } from "#agent/process/left-processes.ts";
import { RUN_MARKER } from "#agent/process/process-table.ts";
import type { CommandScope } from "#agent/run/step/run-scope.ts";
import { linkTarget } from "#agent/workspace/current-link.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { releasePath } from "#agent/workspace/releases.ts";

/** @param builds the release that this run builds, if any: processes in its folder belong to the run */
export function traceOfRun(folder: ProjectFolder, runId: string, builds: number | null): Trace {
  return {
    name: RUN_MARKER,
    hasValue: (value) => value === runId,
    folder: builds === null ? null : releasePath(folder, builds),
  };
}

export function traceOfRelease(folder: ProjectFolder, version: number): Trace {
  const path = releasePath(folder, version);
  return { name: RELEASE_MARKER, hasValue: (value) => value === path, folder: path };
}

/** All processes that the project's activate commands left running and that still have the marker. */
export function traceOfProject({ releases }: ProjectFolder): Trace {
  return { name: RELEASE_MARKER, hasValue: (value) => value.startsWith(`${releases}/`), folder: null };
}

/** Ends the processes that a release's activate command left running, and logs them. */
export async function endRelease(scope: CommandScope, version: number, trace: Trace): Promise<void> {
  const ended = await endLeftProcesses(trace, scope.context.settings.stopGraceMs);
  if (ended.length === 0) return;
  const what = ended.length === 1 ? "1 process" : `${ended.length} processes`;
  const names = ended.map(({ pid, program }) => `${program} (${pid})`).join(", ");
  scope.log.system("activate", `ended ${what} that ${linkTarget(version)} left running: ${names}`);
}
