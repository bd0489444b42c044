import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";

import { readDeployments } from "../support/faults/invariants/deployments.ts";
import type { Site } from "../support/faults/site.ts";
import type { Chaos } from "./chaos.ts";
import { placedOn } from "./fleets.ts";

/** The deployments of a project that have not ended. */
export async function buildingOf({ installation }: Chaos, { projectId }: Site): Promise<string[]> {
  return (await readBuilding(installation, projectId)).map(({ id }) => id);
}

async function readBuilding(installation: Chaos["installation"], projectId: string) {
  const listed = await readDeployments(installation, projectId);
  return listed.filter(({ status }) => status === "building");
}

/** What approves a deployment that has not ended, as it is now. */
export async function approvalsOf({ installation }: Chaos, { projectId }: Site) {
  return (await readBuilding(installation, projectId)).map(({ id, waiting_on: waiting }) => ({
    path: `/v1/deployments/${id}/approve`,
    body: waiting?.type === "approval" && waiting.until !== undefined ? { until: waiting.until } : {},
  }));
}

/** Approves all deployments that wait for an approval. Others refuse it. */
export async function approveAll(chaos: Chaos, sites: readonly Site[]): Promise<void> {
  if (chaos.fleets === null) return;
  for (const site of sites)
    for (const { path, body } of await approvalsOf(chaos, site))
      await chaos.installation.api.call("POST", path, body);
}

/**
 * Checks that each server of a project serves the live deployment once all deployments have ended, except servers that
 * kept a release that failed on others, and servers on which the live commit does not start.
 */
export async function restViolations(
  { installation, fleets }: Chaos,
  sites: readonly Site[],
): Promise<string[]> {
  if (fleets === null) return [];
  const found = sites.map(async (site) => {
    const { hasStopped, broken } = fleets.of(site);
    const listed = await readDeployments(installation, site.projectId);
    const live = listed.find(({ status }) => status === "live");
    if (hasStopped || live === undefined || broken.has(live.commit_sha ?? "")) return [];
    // The list of servers may have changed since.
    const members = new Set(live.runs.map((run) => run.server_id));
    const { servers_state: states } = await installation.api.getProject(site.projectId);
    return states
      .filter(({ id, status }) => members.has(id) && status !== "live")
      .map(
        ({ name, status, version }) =>
          `${site.name}: ${name} is ${status} at v${version}, and v${live.version} is live`,
      );
  });
  return (await Promise.all(found)).flat();
}

/** The settings with which the last deployment of a round goes to all servers of a project. */
export function calmFleet({ fleets }: Chaos, site: Site): Record<string, unknown> {
  if (fleets === null) return {};
  const fleet = fleets.of(site);
  fleet.hasStopped = false;
  const [first] = fleet.servers;
  // Where the first visitor goes.
  if (first !== undefined) site.host = first;
  const rollout = {
    ...{ order: "rolling", batch: 1, pause_seconds: 0, canary: null },
    ...{ on_failure: "revert", offline: "wait", min: 1 },
  };
  return { ...placedOn(fleet.servers), rollout };
}

/** Checks that each server serves what is live, and that each release command has run once. */
export async function fleetViolations({ installation, fleets, sites }: Chaos): Promise<string[]> {
  if (fleets === null) return [];
  const violations: string[] = [];
  for (const site of sites.filter(({ deletion }) => deletion === null)) {
    const { servers_state: states } = await installation.api.getProject(site.projectId);
    for (const { name, status } of states)
      if (status !== "live") violations.push(`${site.name}: ${name} is ${status}`);
    const file = site.source.gate.released;
    const released = existsSync(file) ? (await readFile(file, "utf8")).trim().split("\n") : [];
    if (new Set(released).size < released.length)
      violations.push(`${site.name}: release commands have run in the versions ${released.join(", ")}`);
  }
  return violations;
}
