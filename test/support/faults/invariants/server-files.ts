import { existsSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";

import type { Host } from "../host.ts";
import type { Site } from "../site.ts";
import { markerOf } from "../source.ts";
import { appViolations } from "./apps.ts";
import { targetOn } from "./deployments.ts";

const namesIn = (path: string): Promise<string[]> => readdir(path).catch(() => []);

/** The files that a project's folder may have while no deployment is under way. */
const PROJECT_FILES = new Set([
  "mirror.git",
  "modules",
  "releases",
  "shared",
  "current",
  "live-commits.json",
  "cache",
  "cache.json",
  "assets",
  "assets.json",
  "served",
  "secret-revisions.json",
  "variables",
  "tmp",
]);
/** In addition, the files of a project that has instances. */
const APP_FILES = new Set(["desired.json", "instances", "logs", "output-times", "site.json"]);
/** And of a project that has several servers. */
const FLEET_FILES = new Set(["place.json"]);
const HOME_FILES = new Set([
  "agent.json",
  "agent.lock",
  "git-ssh",
  "seal.json",
  "link.json",
  "projects",
  "sites.json",
  "policy.json",
  "slots",
  "supervisor.json",
  "supervisor.lock",
  "supervisor.log",
  "supervisor.sock",
  "tools",
]);

/** Checks a server's files: only complete releases, not too many of them, `current` at the live one, no temporary files. */
export async function serverFileViolations(
  host: Host,
  site: Site,
  listed: readonly Deployment[],
): Promise<string[]> {
  const root = join(host.home, "projects", site.projectId);
  if (!existsSync(root)) return [];
  const violations: string[] = [];
  const isFleet = listed.some(({ runs }) => runs.length > 0);
  for (const name of await namesIn(root))
    if (
      !PROJECT_FILES.has(name) &&
      !(site.isApp && APP_FILES.has(name)) &&
      !(isFleet && FLEET_FILES.has(name))
    )
      violations.push(`${name} lies in the project's folder`);
  for (const name of await namesIn(join(root, "tmp"))) violations.push(`tmp/${name} is left over`);

  const names = await namesIn(join(root, "releases"));
  const folders = names.filter((name) => !name.endsWith(".json"));
  for (const name of names)
    if (!names.includes(name.endsWith(".json") ? name.slice(0, -5) : `${name}.json`))
      violations.push(`releases/${name} is half of a release`);
  // The live release and the release before it are always kept.
  const allowed = Math.max(site.keepReleases, 2);
  if (folders.length > allowed)
    violations.push(`${folders.length} releases are kept, and not ${allowed}: ${folders.join(", ")}`);

  const live = listed.find((one) => one.status === "live");
  const target = await readlink(join(root, "current")).catch(() => null);
  const wanted = targetOn(live, host.serverId);
  if (target !== wanted)
    violations.push(`current points to ${target}, and ${wanted ?? "nothing"} is live here`);
  if (target !== null) violations.push(...(await pageViolations(join(root, target), site, live)));
  violations.push(...(await appViolations(host, site, live)));
  return violations;
}

async function pageViolations(release: string, site: Site, live: Deployment | undefined): Promise<string[]> {
  const page = await readFile(join(release, "index.html"), "utf8").catch(() => null);
  const marker = page === null ? null : markerOf(page);
  const wanted = site.source.commits.get(live?.commit_sha ?? "")?.marker;
  if (marker === null) return [`the page of ${release} is not whole`];
  if (wanted !== undefined && marker !== wanted) return [`${marker} is served, and ${wanted} is live`];
  const link = await readlink(join(release, "data")).catch(() => null);
  return link === null ? [`the shared path of ${release} is no link`] : [];
}

/** Checks that an agent's home has only known files. */
export async function homeViolations(host: Host): Promise<string[]> {
  const names = await namesIn(host.home);
  return names
    .filter((name) => !HOME_FILES.has(name))
    .map((name) => `${name} lies in the home of ${host.name}`);
}
