import type { NamedSite } from "#agent/ingress/caddy/site-routes.ts";
import type { BalancedSite } from "#agent/ingress/fleet/resolve-fleet.ts";
import type { ProjectId } from "#contract/ids.ts";

/** What wants host names for a project: its site here, or its members, which can be the same project. */
export type Named = NamedSite | BalancedSite;

/** Whether this server sends the requests of a project to members, instead of serving its site. */
export function isBalanced(named: Named): named is BalancedSite {
  return "members" in named;
}

/**
 * A name that two projects want. The project that comes later does not get it. `isServed`: at its other names. `reason`: a
 * sentence.
 */
export type NameProblem = {
  readonly project: ProjectId;
  readonly isServed: boolean;
  readonly reason: string;
};

/**
 * Gives each host name to one project, because Caddy refuses the whole configuration otherwise.
 * @param sites the first project in this order that has a name as its domain keeps it, then the first that has it as an
 * alias
 */
export function nameSites(sites: readonly Named[]): {
  readonly sites: readonly Named[];
  readonly problems: readonly NameProblem[];
} {
  const owners = new Map<string, ProjectId>();
  for (const { project, site } of sites) if (!owners.has(site.domain)) owners.set(site.domain, project);
  for (const { project, site } of sites)
    for (const { domain } of site.aliases) if (!owners.has(domain)) owners.set(domain, project);

  const problems: NameProblem[] = [];
  const lacks = (project: ProjectId, name: string, isServed: boolean): boolean => {
    const owner = owners.get(name);
    if (owner === undefined || owner === project) return false;
    problems.push({
      project,
      isServed,
      reason: `${name} leads to another project of this server: ${owner}.`,
    });
    return true;
  };
  const named = sites.flatMap((each): Named[] => {
    const { project, site } = each;
    const seen = new Set([site.domain]);
    const aliases = site.aliases.filter(({ domain }) => {
      const isNew = !seen.has(domain);
      seen.add(domain);
      return isNew && !lacks(project, domain, true);
    });
    if (lacks(project, site.domain, false)) return [];
    return [
      isBalanced(each)
        ? { ...each, site: { ...each.site, aliases } }
        : { ...each, site: { ...each.site, aliases } },
    ];
  });
  return { sites: named, problems };
}
