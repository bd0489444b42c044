import { join } from "node:path";

import type { Host } from "./host.ts";
import type { Installation } from "./installation.ts";
import { type SiteVisitor, visitSite } from "./site-visitor.ts";
import { createSource, type Source } from "./source.ts";

/** A project with its source and its visitor. */
export type Site = {
  readonly projectId: string;
  readonly name: string;
  readonly source: Source;
  /** Whether its page is served by instances of its releases. */
  readonly isApp: boolean;
  keepReleases: number;
  /** The server where it is live, or was live last. */
  host: Host;
  visitor: SiteVisitor | null;
  /** The visitors of its other servers, if it has several. */
  others: readonly { readonly host: Host; readonly visitor: SiteVisitor }[];
  /** Whether its address may change at the moment. */
  isMoving: boolean;
  /** `purged`: with all its files. */
  deletion: null | "kept" | "purged";
};

/** Frequent requests that take only a few percent of a core. */
const VISIT_EVERY_MS = 25;

/** Long enough to find a replaced instance draining, if a request holds it. */
const DRAIN_SECONDS = 2;

/** The settings of every site, with a build and an activate command that can be held at a gate. */
function settingsOf(source: Source, host: Host, own: Record<string, unknown>) {
  return {
    server_id: host.serverId,
    repository: source.url,
    build_command: `sh build.sh ${source.gate.path}`,
    activate_command: `sh activate.sh ${source.gate.path}`,
    shared_paths: ["data"],
    keep_releases: 3,
    drain_seconds: DRAIN_SECONDS,
    ...own,
  };
}

/** Creates a project with a first commit, and deploys nothing. */
export async function createSite(
  installation: Pick<Installation, "api" | "home">,
  host: Host,
  name: string,
  settings: Record<string, unknown> = {},
  isApp = false,
): Promise<Site> {
  const source = await createSource(join(installation.home, "sources", name), isApp);
  await source.commit();
  const project = await installation.api.createProject({ name, ...settingsOf(source, host, settings) });
  return {
    projectId: project.id,
    name,
    source,
    isApp,
    host,
    keepReleases: project.keep_releases,
    visitor: null,
    others: [],
    isMoving: false,
    deletion: null,
  };
}

/** Starts a visitor at the address of each server of the project. */
export async function sendVisitor(installation: Installation, site: Site): Promise<void> {
  const { url, servers_state: states } = await installation.api.getProject(site.projectId);
  if (url === null) throw new Error(`${site.name} has no address`);
  site.visitor = visitSite(url, VISIT_EVERY_MS);
  site.others = states.slice(1).map(({ id, name, url: address }) => {
    const host = installation.hosts.find(({ serverId }) => serverId === id);
    if (host === undefined || address === null) throw new Error(`${site.name} has no address on ${name}`);
    return { host, visitor: visitSite(address, VISIT_EVERY_MS) };
  });
}

/** All visitors of a site. */
export function visitorsOf({ visitor, others }: Pick<Site, "visitor" | "others">): readonly SiteVisitor[] {
  return [visitor ?? [], others.map((one) => one.visitor)].flat();
}

/** The visitors of a site on one of its servers. */
export function visitorsOn(site: Site, host: Host): readonly SiteVisitor[] {
  const own = site.host === host ? (site.visitor ?? []) : [];
  return [own, site.others.filter((one) => one.host === host).map((one) => one.visitor)].flat();
}
