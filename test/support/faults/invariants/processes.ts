import { readdir, readFile } from "node:fs/promises";

import type { Installation } from "../installation.ts";
import { strayViolations } from "./apps.ts";

/**
 * Checks that no process of a run is left: no descendant of an agent besides its supervisor, and no process with a run's
 * environment. Instances may run where the agent keeps them running.
 */
export async function processViolations({ hosts, home }: Installation): Promise<string[]> {
  const violations: string[] = [];
  for (const host of hosts) {
    for (const { name, pid } of host.commands())
      violations.push(`the agent of ${host.name} still has ${name} (${pid})`);
    violations.push(...(await strayViolations(host)));
  }
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    const marker = /(?:^|\0)GANTRY_RUN_ID=([^\0]*)/.exec(environment)?.[1] ?? "app-";
    if (marker.startsWith("app-") || !environment.includes(home)) continue;
    const command = (await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")).replaceAll("\0", " ");
    // A zombie has no command line.
    if (command !== "") violations.push(`a process of a run is left: ${pid} ${command}`);
  }
  return violations;
}
