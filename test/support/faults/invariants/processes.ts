import { readdir, readFile } from "node:fs/promises";

import type { Installation } from "../installation.ts";
import { descendantsOf } from "../processes.ts";

/** Checks that no process of a run is left: no descendant of an agent, and no process with a run's environment. */
export async function processViolations({ hosts, home }: Installation): Promise<string[]> {
  const violations: string[] = [];
  for (const host of hosts) {
    const pid = host.agentPid();
    if (pid === null) continue;
    for (const child of descendantsOf(pid))
      violations.push(`the agent of ${host.name} still has ${child.name} (${child.pid})`);
  }
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    if (!environment.includes("GANTRY_RUN_ID=") || !environment.includes(home)) continue;
    const command = (await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")).replaceAll("\0", " ");
    // A zombie has no command line.
    if (command !== "") violations.push(`a process of a run is left: ${pid} ${command}`);
  }
  return violations;
}
