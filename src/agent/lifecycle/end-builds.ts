import { killNotedGroup, killProcessesOfRun } from "#agent/process/process-table.ts";
import { listProjects } from "#agent/workspace/project-report.ts";
import { readJournal } from "#agent/workspace/run-journal.ts";

/**
 * Ends the builds that a dead agent left running. Called by a service manager that ends only the agent's own process.
 * Processes that activate commands started are not ended; the next start of the agent decides about them.
 * @returns the number of interrupted runs
 */
export async function endBuilds(home: string): Promise<number> {
  let ended = 0;
  for (const { folder } of await listProjects(home)) {
    const entry = readJournal(folder);
    if (entry?.phase.kind !== "preparing") continue;
    for (const group of entry.groups) killNotedGroup(group, entry.boot_id);
    await killProcessesOfRun(entry.run.run_id);
    ended += 1;
  }
  return ended;
}
