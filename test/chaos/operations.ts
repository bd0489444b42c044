import type { Host } from "../support/faults/host.ts";
import { type Site, visitorsOf } from "../support/faults/site.ts";
import type { CommitChange, SourceCommit } from "../support/faults/source.ts";
import { appOperations } from "./app-operations.ts";
import type { Chance } from "./chance.ts";
import { type Chaos, endVisits } from "./chaos.ts";
import { fleetOperations } from "./fleet-operations.ts";
import { commitBrokenOnOne, openSite } from "./fleets.ts";
import { describe, type Operation } from "./operation.ts";
import { reportPush } from "./push-operation.ts";

/** Builds that are quick, slow, verbose or failing, or that leave processes behind. */
const builds: readonly ({ readonly weight: number } & CommitChange)[] = [
  { weight: 8, lines: 20 },
  { weight: 3, lines: 60, build: "sleep 0.5" },
  { weight: 2, lines: 400, build: "sleep 1.5; echo half" },
  { weight: 2, lines: 20_000 },
  { weight: 2, lines: 10, build: "sleep 0.2; echo broken >&2; exit 3" },
  { weight: 1, lines: 10, build: "(sleep 300 &) ; setsid sleep 300 >/dev/null 2>&1 < /dev/null &" },
  { weight: 1, lines: 10, build: "trap '' TERM; sleep 2" },
  { weight: 1, lines: 10, activate: "sleep 0.5; exit 4" },
  { weight: 1, lines: 10, activate: "sleep 0.8" },
  // Only apps have these.
  { weight: 1, lines: 10, start: "echo no database >&2; exit 5" },
  { weight: 1, lines: 10, start: "sleep 0.7" },
];

async function commit({ fleets }: Chaos, site: Site, chance: Chance): Promise<SourceCommit> {
  if (fleets !== null && chance.happens(0.2)) return commitBrokenOnOne(fleets, site, chance);
  const { lines, build, start, activate } = chance.weighted(builds);
  return site.source.commit({
    ...(lines === undefined ? {} : { lines }),
    ...(build === undefined ? {} : { build }),
    ...(start === undefined ? {} : { start }),
    ...(activate === undefined ? {} : { activate }),
  });
}

async function newest(chaos: Chaos, site: Site, statuses: readonly string[]): Promise<string[]> {
  const path = `/v1/deployments?project_id=${site.projectId}&limit=20&status=${statuses.join(",")}`;
  const answer = await chaos.installation.requests.send("GET", path);
  const found = [...(answer?.text ?? "").matchAll(/"id":"(dpl_[^"]+)"/g)];
  return found.flatMap(([, id]) => id ?? []);
}

async function changeSettings(chaos: Chaos, site: Site, change: Record<string, unknown>): Promise<string> {
  const answer = await chaos.installation.requests.send("PATCH", `/v1/projects/${site.projectId}`, change);
  return `${JSON.stringify(change)} ${answer?.status ?? "no answer"}`;
}

async function moveTo(chaos: Chaos, site: Site, host: Host): Promise<string> {
  // The old address stops some time after the new one starts. The excuse ends with the visitor, in the round's check.
  site.isMoving = true;
  site.visitor?.excuse();
  site.host = host;
  return changeSettings(chaos, site, { server_id: host.serverId });
}

/** Deletes the project, and creates another one in its place. */
async function replaceProject(chaos: Chaos, site: Site, purge: boolean): Promise<string> {
  const { installation } = chaos;
  const excuses = visitorsOf(site).map((visitor) => visitor.excuse());
  const status = await installation.requests.deleteProject(site.projectId, purge);
  if (status !== 204 && status !== 404) {
    for (const end of excuses) end();
    return `${status ?? "no answer"}`;
  }
  await endVisits(chaos, site);
  site.deletion = purge ? "purged" : "kept";
  const count = Number(site.name.split("-")[1] ?? 0) + 1;
  const name = `${site.name.split("-")[0]}-${count}`;
  const next = await openSite(chaos, site.host, name, site.isApp).catch(() => null);
  if (next === null) return `${status}, and no other could be created`;
  chaos.sites = [...chaos.sites, next];
  return `${status}, ${name} replaces it`;
}

export const operations: readonly Operation[] = [
  {
    name: "start",
    weight: 30,
    async act(chaos, site, chance) {
      const { installation } = chaos;
      await commit(chaos, site, chance);
      const end = await installation.requests.start(site.projectId);
      if (end !== null && "id" in end && chance.happens(0.4))
        chaos.followers.push(installation.followLog(end.id));
      return describe(end);
    },
  },
  {
    name: "simultaneous starts",
    weight: 6,
    async act({ installation }, site, chance) {
      const count = chance.integer(2, 5);
      const ends = await Promise.all(
        Array.from({ length: count }, () => installation.requests.start(site.projectId)),
      );
      return ends.map(describe).join(", ");
    },
  },
  {
    name: "push",
    weight: 12,
    act: async (chaos, site, chance) => reportPush(chaos, site, await commit(chaos, site, chance), chance),
  },
  {
    name: "start of an unknown branch",
    weight: 3,
    act: async ({ installation }, site) =>
      describe(await installation.requests.start(site.projectId, { branch: "nowhere" })),
  },
  {
    name: "rollback",
    weight: 14,
    act: async ({ installation }, site) => describe(await installation.requests.rollBack(site.projectId)),
  },
  {
    name: "rollback to a superseded deployment",
    weight: 6,
    async act(chaos, site, chance) {
      const targets = await newest(chaos, site, ["superseded"]);
      if (targets.length === 0) return "none";
      const deployment_id = chance.pick(targets);
      return describe(await chaos.installation.requests.rollBack(site.projectId, { deployment_id }));
    },
  },
  {
    name: "simultaneous start and rollback",
    weight: 4,
    async act({ installation }, site) {
      const { requests } = installation;
      const ends = [requests.start(site.projectId), requests.rollBack(site.projectId)];
      return (await Promise.all(ends)).map(describe).join(", ");
    },
  },
  {
    name: "cancel",
    weight: 12,
    async act(chaos, site, chance) {
      const running = await newest(chaos, site, ["building"]);
      if (running.length === 0) return "none";
      return `${(await chaos.installation.requests.cancel(chance.pick(running))) ?? "no answer"}`;
    },
  },
  {
    name: "delete a deployment",
    weight: 8,
    async act(chaos, site, chance) {
      const all = await newest(chaos, site, ["failed", "canceled", "superseded", "building"]);
      if (all.length === 0) return "none";
      const status = await chaos.installation.requests.deleteDeployment(site.projectId, chance.pick(all));
      return `${status ?? "no answer"}`;
    },
  },
  {
    name: "change a setting",
    weight: 6,
    async act(chaos, site, chance) {
      const keep_releases = chance.integer(2, 4);
      const changes = [
        { queue: "latest" },
        { queue: "all" },
        { keep_releases },
        { health_check: null },
        { health_check: { path: "/", interval_seconds: 0.1, tries: 5, timeout_seconds: 2 } },
        { health_check: { path: "/missing", interval_seconds: 0.1, tries: 2 } },
      ];
      const change = chance.pick(changes);
      if ("keep_releases" in change) site.keepReleases = Math.max(site.keepReleases, keep_releases);
      return changeSettings(chaos, site, change);
    },
  },
  ...appOperations.map((operation) => ({ ...operation, isOfApps: true })),
  ...fleetOperations.map((operation) => ({ ...operation, isOfFleets: true })),
  {
    name: "move to another server",
    weight: 3,
    isOfFleets: false,
    async act(chaos, site) {
      const host = chaos.hosts.find((other) => other !== site.host);
      return host === undefined ? "none" : moveTo(chaos, site, host);
    },
  },
  {
    name: "delete the project",
    weight: 0.6,
    act: (chaos, site, chance) => replaceProject(chaos, site, chance.happens(0.8)),
  },
];
