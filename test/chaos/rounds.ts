import { truncate } from "node:fs/promises";
import { join } from "node:path";

import { eventually } from "../support/faults/eventually.ts";
import { settled, siteViolations, systemViolations } from "../support/faults/invariants/check.ts";
import { readDeployments } from "../support/faults/invariants/deployments.ts";
import { deployNext } from "../support/faults/points/deploy-next.ts";
import type { LogFollower } from "../support/faults/log-follower.ts";
import { memoryOf, signal } from "../support/faults/processes.ts";
import { type Site, visitorsOf } from "../support/faults/site.ts";
import type { Chance } from "./chance.ts";
import { type Chaos, pauseIn, redirectVisitors } from "./chaos.ts";
import { approveAll, calmFleet, fleetViolations, restViolations } from "./fleet-checks.ts";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";
import { sabotages } from "./sabotages.ts";
import { resendWaiting } from "./webhook-deliveries.ts";

const USERS = 6;
const SABOTEURS = 2;
/** The control plane waits two minutes for the confirmation of a stop. */
const VERDICTS_MS = 200_000;
const SETTLE_MS = 60_000;
/** The number of deployments of a project that are kept after a round. */
const KEPT_DEPLOYMENTS = 12;

async function use(chaos: Chaos, chance: Chance): Promise<void> {
  while (!chaos.phase.aborted) {
    await pauseIn(chaos, chance.integer(50, 1_600));
    const site = chance.pick(chaos.sites.filter((one) => one.deletion === null));
    const operation = chance.weighted(operations.filter((one) => isFor(chaos, site, one)));
    if (chaos.phase.aborted) return;
    chaos.log(`${site.name}: ${operation.name}`);
    chaos.tally.operation(operation.name);
    const outcome = await operation.act(chaos, site, chance);
    chaos.log(`${site.name}: ${operation.name}: ${outcome}`);
  }
}

function isFor({ fleets }: Chaos, { isApp }: Site, { isOfApps, isOfFleets }: Operation): boolean {
  if (isOfApps === true && !isApp) return false;
  return isOfFleets === undefined || isOfFleets === (fleets !== null);
}

async function sabotage(chaos: Chaos, chance: Chance): Promise<void> {
  while (!chaos.phase.aborted) {
    await pauseIn(chaos, chance.integer(100, 2_500));
    if (chaos.phase.aborted) return;
    const fault = chance.weighted(sabotages);
    chaos.log(`! ${fault.name}`);
    chaos.tally.fault(fault.name);
    await fault.act(chaos, chance);
    chaos.log(`! ${fault.name}: ended`);
  }
}

/** Causes faults at random for some time, while clients continue with their operations. */
export async function causeFaults(chaos: Chaos, ms: number, signalOfEnd: AbortSignal): Promise<void> {
  chaos.phase = AbortSignal.any([AbortSignal.timeout(ms), signalOfEnd]);
  const busy = [
    ...Array.from({ length: USERS }, () => use(chaos, chaos.chance.fork())),
    ...Array.from({ length: SABOTEURS }, () => sabotage(chaos, chaos.chance.fork())),
  ];
  await Promise.all(busy);
}

/** Ends all faults, as an operator would: resumes processes, opens links, starts agents. */
export async function recoverAll(chaos: Chaos): Promise<void> {
  const { installation, hosts } = chaos;
  signal(installation.workerdPid(), "SIGCONT");
  await installation.clients.open();
  await installation.webhooks.open();
  for (const host of hosts) {
    await host.link.open();
    signal(host.agentPid(), "SIGCONT");
    signal(host.supervisorPid(), "SIGCONT");
    host.launchAgent();
  }
  await installation.workerUp();
  for (const host of hosts) {
    await host.sitesUp();
    await eventually(`${host.name} is connected`, async () => {
      host.launchAgent();
      const answer = await installation.api.call("GET", `/v1/servers/${host.serverId}`);
      return answer.text.includes('"status":"healthy"') || answer.text.includes('"status":"degraded"');
    });
  }
}

/** Checks that a follower got each line once and in order, and the end of the log. */
function followerViolations({ deploymentId, violation, hasEnded, lines, streams }: LogFollower): string[] {
  if (violation !== null) return [`the follower of ${deploymentId}: ${violation}`];
  return hasEnded
    ? []
    : [`the follower of ${deploymentId} got no end after ${lines} lines, in stream ${streams}`];
}

/** Waits until every deployment has ended, deploys each site once more, and checks all guarantees. */
export async function check(chaos: Chaos, round: string): Promise<void> {
  const { installation } = chaos;
  const sites = chaos.sites.filter((site) => site.deletion === null);
  const waiting = async (): Promise<string[]> => {
    await approveAll(chaos, sites);
    const lists = await Promise.all(sites.map((site) => readDeployments(installation, site.projectId)));
    return lists
      .flat()
      .filter((one) => one.status === "building")
      .map((one) => `v${one.version} ${one.id} of ${one.project_id} has no verdict: it is at ${one.stage}`);
  };
  await settled(round, waiting, VERDICTS_MS);
  await settled(round, () => restViolations(chaos, sites), SETTLE_MS);
  for (const site of sites) {
    const changed = {
      ...{ health_check: null, ...calmFleet(chaos, site) },
      ...(site.isApp ? { processes: { web: null, worker: null } } : {}),
    };
    await installation.api.call("PATCH", `/v1/projects/${site.projectId}`, changed);
    await deployNext({ installation, site, host: site.host });
    const project = await installation.api.getProject(site.projectId);
    site.keepReleases = project.keep_releases;
    if (!site.isMoving && site.visitor !== null) continue;
    await redirectVisitors(chaos, site);
    site.isMoving = false;
  }
  const look = async () => {
    const found = await Promise.all(chaos.sites.map((site) => siteViolations(installation, site)));
    const all = [
      ...found.flat(),
      ...(await systemViolations(installation, chaos.sites)),
      ...(await fleetViolations(chaos)),
    ];
    if (all.length > 0) await resendWaiting(installation);
    return [...all, ...chaos.followers.flatMap(followerViolations)];
  };
  await settled(round, look, SETTLE_MS);
}

/** Drops the state of ended deployments, so that a long run needs no more memory than a short one. */
export async function tidyUp(chaos: Chaos): Promise<void> {
  const { installation, tally } = chaos;
  for (const follower of chaos.followers) tally.followed(follower);
  chaos.followers = [];
  chaos.sites = chaos.sites.filter((site) => site.deletion === null);
  const known = new Set<string>();
  for (const site of chaos.sites) known.add(await tidySite(chaos, site));
  const gone = [...installation.ledger.accepted.values()].filter(
    (one) => one.isDeleted || !known.has(one.projectId),
  );
  installation.ledger.forget(gone.map((one) => one.id));
  installation.ledger.unanswered.clear();
  tally.memory("runtime of the Worker", memoryOf(installation.workerdPid()).peak);
  tally.memory("process of the Worker", memoryOf(installation.worker.pid()).peak);
  for (const host of chaos.hosts) {
    tally.memory(`agent of ${host.name}`, memoryOf(host.agentPid()).peak);
    tally.memory(`sites of ${host.name}`, memoryOf(host.sites.pid()).peak);
    tally.memory(`supervisor of ${host.name}`, memoryOf(host.supervisorPid()).peak);
  }
  tally.memory("this journey", memoryOf(process.pid).peak);
  // The log has a line for each request.
  await truncate(join(installation.home, "worker.log"));
}

/** Counts the deployments that are still listed at the end. */
export async function countLeft({ installation, sites, tally }: Chaos): Promise<void> {
  for (const site of sites)
    for (const one of await readDeployments(installation, site.projectId)) tally.verdict(one.status);
}

async function tidySite({ installation, tally }: Chaos, site: Site): Promise<string> {
  const { ledger, requests } = installation;
  const listed = await readDeployments(installation, site.projectId);
  for (const one of listed) {
    // Deployments whose 201 was lost: from now on they are checked like the others.
    if (!ledger.accepted.has(one.id))
      ledger.accept({ id: one.id, projectId: site.projectId, version: one.version });
  }
  for (const one of listed.slice(KEPT_DEPLOYMENTS)) {
    if (one.status === "live") continue;
    tally.verdict(one.status);
    await requests.deleteDeployment(site.projectId, one.id);
  }
  const left = await readDeployments(installation, site.projectId);
  site.source.forgetAllBut(new Set(left.flatMap((one) => one.commit_sha ?? [])));
  // The deployments that showed them may be among the deleted ones.
  for (const visitor of visitorsOf(site)) visitor.forgetMarkers();
  return site.projectId;
}
