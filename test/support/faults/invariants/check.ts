import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";

import type { Installation } from "../installation.ts";
import { type Site, visitorsOf } from "../site.ts";
import type { SourceCommit } from "../source.ts";
import { deploymentViolations, readDeployments } from "./deployments.ts";
import { eventViolations } from "./events.ts";
import { logViolations } from "./logs.ts";
import { processViolations } from "./processes.ts";
import { homeViolations, serverFileViolations } from "./server-files.ts";
import { waitingViolations, logObjectViolations } from "./stored-state.ts";

/** Checks one site while no deployment of it is under way. @returns the broken guarantees */
export async function siteViolations(installation: Installation, site: Site): Promise<string[]> {
  const violations = visitorViolations(site);
  if (site.deletion !== null) return [...violations, ...deletionViolations(installation, site)];
  const listed = await readDeployments(installation, site.projectId);
  violations.push(...deploymentViolations(installation, site, listed));
  violations.push(...(await eventViolations(installation, site, listed)));
  for (const deployment of listed) violations.push(...(await logViolations(installation, site, deployment)));
  for (const host of installation.hosts) {
    const found = await serverFileViolations(host, site, listed);
    violations.push(...found.map((violation) => `on ${host.name}: ${violation}`));
  }
  const live = listed.find((one) => one.status === "live");
  const wanted = site.source.commits.get(live?.commit_sha ?? "")?.marker;
  for (const { seen } of visitorsOf(site))
    if (wanted !== undefined && seen !== null && seen !== wanted)
      violations.push(`visitors see ${seen}, but ${wanted} is live`);
  const isWhole = installation.ledger.of(site.projectId).every(({ isDeleted }) => !isDeleted);
  if (isWhole) violations.push(...unreadyViolations(site, listed));
  return violations.map((violation) => `${site.name}: ${violation}`);
}

/**
 * Checks that no visitor has seen a page of a commit whose deployments have all ended before their switch. @param
 * listed all deployments of the project. None may have been deleted
 */
function unreadyViolations(site: Site, listed: readonly Deployment[]): string[] {
  const visitors = visitorsOf(site);
  const isSeen = ({ marker }: SourceCommit) => visitors.some(({ markers }) => markers.has(marker));
  const shas = [...site.source.commits.values()].filter(isSeen);
  return shas.flatMap(({ sha, marker }) => {
    const ofIt = listed.filter((one) => one.commit_sha === sha);
    return ofIt.length > 0 && ofIt.every(hasNotSwitched)
      ? [`visitors have seen ${marker}, which never got ready`]
      : [];
  });
}

/** Whether its agents have said so: a server that was lost may have switched afterwards. */
function hasNotSwitched({ status, failure, runs }: Deployment): boolean {
  if (
    runs.some((run) => run.status === "switched" || (run.status === "failed" && mayHaveSwitched(run.failure)))
  )
    return false;
  if (runs.length > 0) return true;
  if (status !== "failed" || failure === null || failure.code === "server_lost") return status === "canceled";
  return !mayHaveSwitched(failure);
}

function mayHaveSwitched(failure: Deployment["failure"]): boolean {
  return failure === null || failure.code === "server_lost" || ["activate", "verify"].includes(failure.stage);
}

/** Checks that no server has files of a purged project. */
function deletionViolations({ hosts }: Installation, site: Site): string[] {
  if (site.deletion !== "purged") return [];
  return hosts
    .filter((host) => existsSync(join(host.home, "projects", site.projectId)))
    .map((host) => `${site.name} was purged, but ${host.name} has its folder`);
}

/** Checks that every request got a complete release. A failure here is final. */
export function visitorViolations(site: Site): string[] {
  return visitorsOf(site).flatMap(({ failed, requests, failures }) =>
    failed === 0
      ? []
      : [`${site.name}: ${failed} of ${requests} visitors' requests failed: ${failures.join("; ")}`],
  );
}

/** Checks the whole system while no deployment is under way. @returns the broken guarantees */
export async function systemViolations(
  installation: Installation,
  sites: readonly Site[],
): Promise<string[]> {
  const violations = await processViolations(installation);
  for (const host of installation.hosts) violations.push(...(await homeViolations(host)));
  const ended: Deployment[] = [];
  for (const site of sites)
    if (site.deletion === null) ended.push(...(await readDeployments(installation, site.projectId)));
  violations.push(...logObjectViolations(installation, ended), ...waitingViolations(installation));
  return violations;
}

/** A check takes dozens of requests, so the pauses between checks grow. */
const FIRST_PAUSE_MS = 60;
const LONGEST_PAUSE_MS = 500;

/**
 * Repeats a check until it finds no violation: after a fault the system takes a moment to recover.
 * @throws with the remaining violations and the name of the point, after a timeout
 */
export async function settled(
  where: string,
  look: () => Promise<readonly string[]>,
  timeoutMs: number,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    const violations = await look();
    if (violations.length === 0) return;
    if (Date.now() > deadline)
      throw new Error(`${where}: ${violations.length} violations\n  ${violations.slice(0, 20).join("\n  ")}`);
    await pause(pauseMs);
  }
}
