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
  keepReleases: number;
  /** Where it is live, or was last. */
  host: Host;
  visitor: SiteVisitor | null;
  /** Its address may change just now. */
  isMoving: boolean;
  /** `purged`: with all its files. */
  deletion: null | "kept" | "purged";
};

/** Many visits, and yet little of a core. */
const VISIT_EVERY_MS = 60;

/** Settings that every site has, besides its own: a build and an activate command that can be held up. */
function settingsOf(source: Source, host: Host, own: Record<string, unknown>) {
  return {
    server_id: host.serverId,
    repository: source.url,
    build_command: `sh build.sh ${source.gate.path}`,
    activate_command: `sh activate.sh ${source.gate.path}`,
    shared_paths: ["data"],
    keep_releases: 3,
    ...own,
  };
}

/** Makes a project with a first commit, and nothing deployed. */
export async function createSite(
  installation: Installation,
  host: Host,
  name: string,
  settings: Record<string, unknown> = {},
): Promise<Site> {
  const source = await createSource(join(installation.home, "sources", name));
  await source.commit();
  const project = await installation.api.createProject({ name, ...settingsOf(source, host, settings) });
  return {
    projectId: project.id,
    name,
    source,
    host,
    keepReleases: project.keep_releases,
    visitor: null,
    isMoving: false,
    deletion: null,
  };
}

/** Sends a visitor to where the project is served. */
export async function sendVisitor(installation: Installation, site: Site): Promise<void> {
  const { url } = await installation.api.getProject(site.projectId);
  if (url === null) throw new Error(`${site.name} has no address`);
  site.visitor = visitSite(url, VISIT_EVERY_MS);
}
