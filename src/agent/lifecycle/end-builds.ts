import { killNotedGroup, killProcessesOfRun } from "#agent/process/process-table.ts";
import { listProjects } from "#agent/workspace/project-report.ts";
import { readJournal } from "#agent/workspace/run-journal.ts";

/**
 * Ends the builds that an agent has left which died: a service manager calls it that ends only the agent itself. What
 * activate commands have started stays; the agent's next start decides about it.
 * @returns how many runs were cut off
 */
export async function endBuilds(home: string): Promise<number> {
  let ended = 0;
  for (const { folder } of await listProjects(home)) {
    const entry = readJournal(folder);
    if (entry?.phase.kind !== "preparing") continue;
    for (const group of entry.groups) killNotedGroup(group, entry.boot_id);
    killProcessesOfRun(entry.run.run_id);
    ended += 1;
  }
  return ended;
}
