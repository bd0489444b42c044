import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod/mini";

import { type LoadEnd, loadConfig } from "#agent/ingress/caddy/admin.ts";
import { caddyConfig } from "#agent/ingress/caddy/config.ts";
import { FileCertificate } from "#agent/ingress/file-certificates.ts";
import { type IngressInput, planIngress } from "#agent/ingress/plan-ingress.ts";
import type { IngressSettings } from "#agent/ingress/settings.ts";
import { SiteFile } from "#agent/ingress/site-file.ts";
import { FleetState } from "#contract/agent-fleet.ts";
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

/**
 * `refused`: why Caddy refuses single sites. The others are loaded without them. `refusedParts`: why it refuses what other
 * servers need, or the certificates from files, as sentences. The earlier ones stay.
 */
export type SitesLoaded = {
  readonly end: Exclude<LoadEnd, { kind: "refused" }> | { readonly kind: "unchanged" };
  readonly refused: ReadonlyMap<ProjectId, string>;
  readonly refusedParts: readonly string[];
};

/** What Caddy accepted last. */
const Accepted = z.object({
  sites: z.array(z.object({ project: ProjectId, site: SiteFile })),
  fleet: z._default(z.nullable(FleetState), null),
  certificates: z._default(z.array(FileCertificate), []),
});
const storedAccepted = storedAs(Accepted);

/** The files of the ingress in the agent's home folder. Caddy starts with `config`. */
export function ingressFiles(home: string) {
  const folder = join(home, "ingress");
  return { folder, config: join(folder, "caddy.json"), accepted: join(folder, "sites.json") };
}

/** What Caddy accepted last; nothing before the first time. */
export async function readAccepted(home: string): Promise<IngressInput> {
  const read = await readJsonFile(ingressFiles(home).accepted, storedAccepted);
  return read ?? { sites: [], fleet: null, certificates: [] };
}

/** Configures Caddy for all of this, unless it is already. If Caddy refuses a part, the others are loaded. */
export async function loadSites(options: LoadOptions, wanted: IngressInput): Promise<SitesLoaded> {
  const files = ingressFiles(options.home);
  await mkdir(files.folder, { recursive: true });
  const current = await readFile(files.config, "utf8").catch(() => null);
  const nothing = { refused: new Map(), refusedParts: [] };
  if (current === configText(options, wanted)) return { end: { kind: "unchanged" }, ...nothing };
  const end = await load(options, wanted);
  if (end.kind !== "refused") return { end, ...nothing };
  options.log(`Caddy refuses the configuration: ${end.reason}`);
  return loadSingly(options, wanted);
}

/** Loads the changes one by one, so that a change that Caddy refuses does not block the others. */
async function loadSingly(options: LoadOptions, wanted: IngressInput): Promise<SitesLoaded> {
  const refused = new Map<ProjectId, string>();
  const refusedParts: string[] = [];
  let loaded = await readAccepted(options.home);
  const parts = [
    ["the certificates from files", { certificates: wanted.certificates }],
    ["what this server does with others", { fleet: wanted.fleet }],
  ] as const;
  for (const [name, part] of parts) {
    const changed = { ...loaded, ...part };
    if (JSON.stringify(changed) === JSON.stringify(loaded)) continue;
    const end = await load(options, changed);
    if (end.kind === "silent") return { end, refused, refusedParts };
    if (end.kind === "loaded") loaded = changed;
    else refusedParts.push(`Caddy refuses ${name}: ${end.reason}`);
    if (end.kind === "loaded" || !("fleet" in part)) continue;
    const others = await loadServersSingly(options, loaded, part.fleet);
    if ("kind" in others) return { end: others, refused, refusedParts };
    loaded = others;
  }
  for (const project of new Set([...loaded.sites, ...wanted.sites].map((each) => each.project))) {
    const [before, after] = [loaded, wanted].map(({ sites }) =>
      sites.find((each) => each.project === project),
    );
    if (JSON.stringify(before) === JSON.stringify(after)) continue;
    const others = loaded.sites.filter((each) => each.project !== project);
    const changed = { ...loaded, sites: after === undefined ? others : [...others, after] };
    const end = await load(options, changed);
    if (end.kind === "silent") return { end, refused, refusedParts };
    if (end.kind === "loaded") loaded = changed;
    else refused.set(project, end.reason);
  }
  return { end: { kind: "loaded" }, refused, refusedParts };
}

/**
 * Loads what this server does with others without the servers that Caddy refuses, such as for the certificate that one has
 * reported: it would keep all projects as they were.
 * @returns what is loaded now, or that Caddy does not answer
 */
async function loadServersSingly(
  options: LoadOptions,
  before: IngressInput,
  fleet: IngressInput["fleet"],
): Promise<IngressInput | Extract<LoadEnd, { kind: "silent" }>> {
  if (fleet === null) return before;
  const known = new Set(before.fleet?.servers.map((server) => JSON.stringify(server)));
  const isKnown = (server: FleetState["servers"][number]) => known.has(JSON.stringify(server));
  let loaded = before;
  let servers = fleet.servers.filter(isKnown);
  for (const one of [null, ...fleet.servers.filter((server) => !isKnown(server))]) {
    const next = one === null ? servers : [...servers, one];
    const changed = { ...before, fleet: { ...fleet, servers: next } };
    if (JSON.stringify(changed) === JSON.stringify(loaded)) continue;
    const end = await load(options, changed);
    if (end.kind === "silent") return end;
    if (end.kind === "loaded") [loaded, servers] = [changed, next];
    else if (one === null) return before;
    else options.log(`Caddy refuses the server ${one.id}: ${end.reason}`);
  }
  return loaded;
}

/** The configuration is kept only once Caddy has accepted it, because Caddy starts with this file. */
async function load(options: LoadOptions, input: IngressInput): Promise<LoadEnd> {
  const text = configText(options, input);
  const end = await loadConfig(options.settings.admin, text);
  if (end.kind !== "loaded") return end;
  const files = ingressFiles(options.home);
  const { sites } = planIngress(input).plan;
  await writeAtomic(files.accepted, JSON.stringify({ ...input, sites }), { flush: true });
  await writeAtomic(files.config, text, { flush: true });
  return end;
}

function configText({ home, slots, settings }: LoadOptions, input: IngressInput): string {
  const config = caddyConfig(planIngress(input).plan, { home, slots }, settings);
  return `${JSON.stringify(config, null, 1)}\n`;
}
