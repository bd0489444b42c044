import { memberReadyRoutes } from "#agent/ingress/caddy/ready-routes.ts";
import type { CaddyRoute } from "#agent/ingress/caddy/route.ts";
import {
  type IngressPlaces,
  type NamedSite,
  namesOf,
  visitorRoutes,
} from "#agent/ingress/caddy/site-routes.ts";
import { nameOfProject, READY_NAME } from "#agent/ingress/fleet/fleet-names.ts";
import type { SiteEntry } from "#agent/ingress/fleet/resolve-fleet.ts";
import type { IngressPlan } from "#agent/ingress/plan-ingress.ts";
import type { IngressSettings } from "#agent/ingress/settings.ts";
import type { ProjectId } from "#contract/ids.ts";

/** A project that this server serves for balancers. `site`: null: nothing of it was live here yet. */
type Membership = {
  readonly project: ProjectId;
  readonly site: NamedSite | null;
  readonly hosts: readonly string[];
  readonly roots: readonly string[];
};

/** The projects that balancers stand in front of. A project without a known balancer is reached by nobody. */
export function memberships(
  sites: readonly NamedSite[],
  entries: ReadonlyMap<ProjectId, SiteEntry>,
): readonly Membership[] {
  return [...entries].flatMap(([project, entry]) => {
    if (entry.type !== "balancer" || entry.roots.length === 0) return [];
    const site = sites.find((each) => each.project === project) ?? null;
    const hosts = [...new Set([...entry.hosts, ...(site === null ? [] : namesOf(site))])];
    return [{ project, site, hosts, roots: entry.roots }];
  });
}

/** The projects that this server answers balancers for; null: it has no balancers. */
export function servedForBalancers({
  sites,
  fleet,
}: Pick<IngressPlan, "sites" | "fleet">): readonly ProjectId[] | null {
  const all = memberships(sites, fleet.entries);
  return all.length === 0 ? null : all.flatMap(({ project, site }) => (site === null ? [] : [project]));
}

/** The names in certificates that a member shows balancers. */
export function memberNames(members: readonly Membership[]): readonly string[] {
  return members.length === 0 ? [] : [READY_NAME, ...members.map(({ project }) => nameOfProject(project))];
}

/**
 * Where balancers reach this server: with TLS, and only with a client certificate that the authority of a balancer has signed.
 * Each project has a name of its own for TLS, and so its own balancers. Such a client says who the visitor is.
 * @param fallback for hosts that no project has
 */
export function fleetServer(
  members: readonly Membership[],
  places: IngressPlaces,
  settings: IngressSettings,
  fallback: CaddyRoute,
): Record<string, unknown> {
  return {
    listen: [`:${settings.fleet_port}`],
    protocols: ["h1"],
    automatic_https: { disable: true },
    // The name for TLS is of the project, and the Host header is the visitor's. The routes compare both.
    strict_sni_host: false,
    tls_connection_policies: [
      policyOf(
        READY_NAME,
        members.flatMap(({ roots }) => roots),
      ),
      ...members.map(({ project, roots }) => policyOf(nameOfProject(project), roots)),
    ],
    trusted_proxies: { source: "static", ranges: ["0.0.0.0/0", "::/0"] },
    routes: [
      ...memberReadyRoutes(places.slots),
      ...members.flatMap(({ project, site, hosts }): CaddyRoute[] =>
        site === null
          ? []
          : [
              {
                match: [
                  { host: hosts, vars: { "{http.request.tls.server_name}": [nameOfProject(project)] } },
                ],
                handle: [{ handler: "subroute", routes: visitorRoutes(site, places, settings, "balancers") }],
                terminal: true,
              },
            ],
      ),
      fallback,
    ],
  };
}

function policyOf(name: string, roots: readonly string[]): Record<string, unknown> {
  return {
    match: { sni: [name] },
    client_authentication: {
      ca: { provider: "inline", trusted_ca_certs: [...new Set(roots)] },
      mode: "require_and_verify",
    },
  };
}
