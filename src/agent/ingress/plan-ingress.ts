import { type NamedSite, namesOf } from "#agent/ingress/caddy/site-routes.ts";
import { type Fleet, resolveFleet } from "#agent/ingress/fleet/resolve-fleet.ts";
import type { FileCertificate } from "#agent/ingress/file-certificates.ts";
import { isBalanced, type Named, type NameProblem, nameSites } from "#agent/ingress/name-sites.ts";
import type { FleetState } from "#contract/agent-fleet.ts";

/** All that Caddy's configuration depends on, besides the settings of the ingress. */
export type IngressInput = {
  readonly sites: readonly NamedSite[];
  readonly fleet: FleetState | null;
  readonly certificates: readonly FileCertificate[];
};

/** What this server does for host names. No name is in it twice for visitors. */
export type IngressPlan = {
  readonly sites: readonly NamedSite[];
  readonly fleet: Fleet;
  readonly certificates: readonly FileCertificate[];
};

/** Decides which project gets each host name. Planning a plan's sites again changes nothing. */
export function planIngress({ sites, fleet: state, certificates }: IngressInput): {
  readonly plan: IngressPlan;
  readonly problems: readonly NameProblem[];
} {
  const fleet = resolveFleet(state);
  // The oldest project first, which keeps its names.
  const named = nameSites(
    [...sites, ...fleet.balanced].toSorted((one, other) => compare(one.project, other.project)),
  );
  return {
    plan: {
      sites: named.sites.flatMap((each) => (isBalanced(each) ? [] : [each])),
      fleet: { ...fleet, balanced: named.sites.flatMap((each) => (isBalanced(each) ? [each] : [])) },
      certificates,
    },
    problems: named.problems,
  };
}

/** The sites and balanced projects whose names visitors reach here. Balancers have the names of the others. */
export function publicSites({ sites, fleet }: Pick<IngressPlan, "sites" | "fleet">): readonly Named[] {
  return [
    ...sites.filter(({ project }) => fleet.entries.get(project)?.type !== "balancer"),
    ...fleet.balanced,
  ];
}

/** The names that only balancers have certificates for. */
export function namesElsewhere(plan: IngressPlan): ReadonlySet<string> {
  const here = new Set(publicSites(plan).flatMap(namesOf));
  const hosts = [...plan.fleet.entries].flatMap(([project, entry]) =>
    entry.type === "balancer"
      ? [...entry.hosts, ...plan.sites.filter((each) => each.project === project).flatMap(namesOf)]
      : [],
  );
  return new Set(hosts.filter((name) => !here.has(name)));
}

const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);
