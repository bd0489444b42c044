import type { NamedSite } from "#agent/ingress/caddy/site-routes.ts";
import { readSite } from "#agent/ingress/site-file.ts";
import { listProjects } from "#agent/workspace/list-projects.ts";
import type { ProjectId } from "#contract/ids.ts";

/** Why a site is not as it should be. `isServed`: its domain leads to the project. */
export type SiteProblem = { readonly isServed: boolean; readonly reason: string };

/** @param accepted serve for sites that cannot be read now */
export async function readSites(
  home: string,
  accepted: readonly NamedSite[],
): Promise<{ readonly sites: NamedSite[]; readonly problems: Map<ProjectId, SiteProblem> }> {
  const sites: NamedSite[] = [];
  const problems = new Map<ProjectId, SiteProblem>();
  // The oldest project first, which keeps its names.
  const projects = (await listProjects(home)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  for (const { id, folder } of projects) {
    const read = await readSite(folder);
    switch (read.kind) {
      case "site":
        sites.push({ project: id, site: read.site });
        break;
      case "unreadable":
        // The site is served as Caddy accepted it last.
        problems.set(id, { isServed: true, reason: `Its site.json cannot be used: ${read.reason}` });
        sites.push(...accepted.filter(({ project }) => project === id));
        break;
      case "missing":
        break;
    }
  }
  return { sites, problems };
}
