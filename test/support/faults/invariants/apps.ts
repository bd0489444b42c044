import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";

import { type Desired, isApp, readDesired } from "#agent/apps/desired.ts";
import { readNotes } from "#agent/apps/instance-notes.ts";
import { webAddresses } from "#agent/apps/lead-traffic.ts";
import { localSlotsFolder, slotFiles } from "#agent/ingress/slots.ts";
import { linkTarget } from "#agent/workspace/current-link.ts";
import { projectFolder, type ProjectFolder } from "#agent/workspace/project-folder.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { ProjectId } from "#contract/ids.ts";

import type { Host } from "../host.ts";
import { instancesOn } from "../instances.ts";
import type { Site } from "../site.ts";
import { targetOn } from "./deployments.ts";

/**
 * Checks that exactly the instances of the live deployment run on a server, in its release, that the slots lead to them and
 * that the agent has noted no other. On a server where the project is not live, that it has none.
 */
export async function appViolations(host: Host, site: Site, live: Deployment | undefined): Promise<string[]> {
  const folder = projectFolder(host.home, ProjectId.parse(site.projectId));
  const desired = readDesired(folder);
  const running = (await instancesOn(host)).filter(({ projectId }) => projectId === site.projectId);
  const notes = readNotes(folder).map(({ name }) => name);
  const target = site.isApp ? targetOn(live, host.serverId) : null;
  if (live === undefined || target === null) {
    const left = [...new Set([...running.map(({ name }) => name), ...notes])];
    const violations = left.map((name) => `instance ${name} is left, and nothing is live here`);
    if (desired !== null) violations.push("instances must run, and nothing is live here");
    const { folder: slots } = slotFiles(localSlotsFolder(host.home), folder.id);
    if (existsSync(slots)) violations.push("slots are left, and nothing is live here");
    return violations;
  }
  if (desired === null) return [`nothing must run, and v${live.version} is live`];

  const violations: string[] = [];
  // A correction has no deployment of its own.
  if (desired.run_id !== null && desired.version !== live.version)
    violations.push(`v${desired.version} must run, and v${live.version} is live`);
  const release = linkTarget(desired.release);
  if (release !== target) violations.push(`${release} must run, and ${target} is live`);
  const wanted = sorted(desired.instances.map(({ name }) => name));
  const runs = sorted(running.map(({ name }) => name));
  if (runs !== wanted) violations.push(`${runs || "no instance"} runs, and ${wanted || "none"} must`);
  if (sorted(notes) !== wanted) violations.push(`${sorted(notes)} is noted, and ${wanted} must run`);
  for (const one of running)
    if (one.release !== release) violations.push(`${one.name} runs in ${one.release}, and not in ${release}`);
  violations.push(...(await slotViolations(host, folder, desired)));
  return violations;
}

const sorted = (names: readonly string[]): string => [...new Set(names)].toSorted().join(", ");

async function slotViolations(host: Host, folder: ProjectFolder, desired: Desired): Promise<string[]> {
  if (!isApp(desired)) return [];
  const { slots, stopped } = slotFiles(localSlotsFolder(host.home), folder.id);
  const addresses = webAddresses(folder, desired);
  if (addresses.length === 0)
    return existsSync(stopped) ? [] : ["the app is stopped, and its slots are used"];
  if (existsSync(stopped)) return ["the app runs, and visitors are told that it is stopped"];
  const led = await Promise.all(slots.map((path) => readFile(path, "utf8").catch(() => "nowhere")));
  return sorted(led) === sorted(addresses)
    ? []
    : [`slots lead to ${sorted(led)}, and not to ${sorted(addresses)}`];
}

/** Checks that no process of an instance runs that no project of its server must run, such as one of a purged project. */
export async function strayViolations(host: Host): Promise<string[]> {
  const violations: string[] = [];
  for (const { pid, projectId, name } of await instancesOn(host)) {
    const desired = readDesired(projectFolder(host.home, ProjectId.parse(projectId)));
    if (desired?.instances.some((one) => one.name === name) !== true)
      violations.push(
        `process ${pid} of instance ${name} of ${projectId} runs on ${host.name}, and need not`,
      );
  }
  return violations;
}
