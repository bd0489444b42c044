import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod/mini";

import { type LoadEnd, loadConfig } from "#agent/ingress/caddy/admin.ts";
import { caddyConfig, type NamedSite } from "#agent/ingress/caddy/config.ts";
import { nameSites } from "#agent/ingress/name-sites.ts";
import type { IngressSettings } from "#agent/ingress/settings.ts";
import { SiteFile } from "#agent/ingress/site-file.ts";
import { ProjectId } from "#contract/ids.ts";
import { storedAs } from "#contract/stored.ts";
import { readJsonFile } from "#node/read-json-file.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/** The agent's home folder, the folder of the slots, and the settings of the ingress. */
type LoadOptions = {
  readonly home: string;
  readonly slots: string;
  readonly settings: IngressSettings;
  readonly log: (message: string) => void;
};

/** `refused`: why Caddy refuses single sites. The others are loaded without them. */
export type SitesLoaded = {
  readonly end: Exclude<LoadEnd, { kind: "refused" }> | { readonly kind: "unchanged" };
  readonly refused: ReadonlyMap<ProjectId, string>;
};

/** The sites that Caddy accepted last. */
const AcceptedSites = z.object({ sites: z.array(z.object({ project: ProjectId, site: SiteFile })) });
const storedSites = storedAs(AcceptedSites);

/** The files of the ingress in the agent's home folder. Caddy starts with `config`. */
export function ingressFiles(home: string) {
  const folder = join(home, "ingress");
  return { folder, config: join(folder, "caddy.json"), accepted: join(folder, "sites.json") };
}

/** The sites that Caddy accepted last; none before the first. */
export async function readAcceptedSites(home: string): Promise<readonly NamedSite[]> {
  return (await readJsonFile(ingressFiles(home).accepted, storedSites))?.sites ?? [];
}

/** Configures Caddy to serve these sites, unless it does already. If Caddy refuses some of them, the others are served. */
export async function loadSites(options: LoadOptions, sites: readonly NamedSite[]): Promise<SitesLoaded> {
  const files = ingressFiles(options.home);
  await mkdir(files.folder, { recursive: true });
  const current = await readFile(files.config, "utf8").catch(() => null);
  if (current === configText(options, sites)) return { end: { kind: "unchanged" }, refused: new Map() };
  const end = await load(options, sites);
  if (end.kind !== "refused") return { end, refused: new Map() };
  options.log(`Caddy refuses the configuration: ${end.reason}`);
  return loadSingly(options, sites);
}

/** Loads the changes one by one, so that a change that Caddy refuses does not block the others. */
async function loadSingly(options: LoadOptions, wanted: readonly NamedSite[]): Promise<SitesLoaded> {
  const refused = new Map<ProjectId, string>();
  let sites = await readAcceptedSites(options.home);
  for (const project of new Set([...sites, ...wanted].map((each) => each.project))) {
    const [before, after] = [sites, wanted].map((list) => list.find((each) => each.project === project));
    if (JSON.stringify(before) === JSON.stringify(after)) continue;
    const others = sites.filter((each) => each.project !== project);
    const changed = after === undefined ? others : [...others, after];
    const end = await load(options, nameSites(changed).sites);
    if (end.kind === "silent") return { end, refused };
    if (end.kind === "loaded") sites = changed;
    else refused.set(project, end.reason);
  }
  return { end: { kind: "loaded" }, refused };
}

/** The configuration is kept only once Caddy has accepted it, because Caddy starts with this file. */
async function load(options: LoadOptions, sites: readonly NamedSite[]): Promise<LoadEnd> {
  const text = configText(options, sites);
  const end = await loadConfig(options.settings.admin, text);
  if (end.kind !== "loaded") return end;
  const files = ingressFiles(options.home);
  await writeAtomic(files.accepted, JSON.stringify({ sites }), { flush: true });
  await writeAtomic(files.config, text, { flush: true });
  return end;
}

function configText({ home, slots, settings }: LoadOptions, sites: readonly NamedSite[]): string {
  return `${JSON.stringify(caddyConfig(sites, { home, slots }, settings), null, 1)}\n`;
}
