import type { Isolation } from "#agent/isolation/isolation.ts";
import { killNotedGroup, killProcessesOfRun } from "#build/process/process-table.ts";
import { listProjects } from "#agent/workspace/list-projects.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { type JournalEntry, readJournal } from "#agent/workspace/run-journal.ts";

/**
 * Ends the builds that a dead agent left running. Called by a service manager that ends only the agent's own process.
 * Processes that activate commands started are not ended; the next start of the agent decides about them.
 * @returns the number of interrupted runs
 */
export async function endBuilds(home: string, isolation: Isolation): Promise<number> {
  let ended = 0;
  for (const { folder } of await listProjects(home)) {
    const entry = readJournal(folder);
    if (entry?.phase.kind !== "preparing") continue;
    await endBuild(isolation, folder, entry);
    ended += 1;
  }
  return ended;
}

/** Ends all processes of a run that was interrupted before its switch. */
export async function endBuild(
  isolation: Isolation,
  folder: ProjectFolder,
  entry: JournalEntry,
): Promise<void> {
  if (isolation.kind === "projects") await isolation.stopBuild(folder.id);
  // git and, without isolation, the build.
  for (const group of entry.groups) killNotedGroup(group, entry.boot_id);
  await killProcessesOfRun(entry.run.run_id);
}
