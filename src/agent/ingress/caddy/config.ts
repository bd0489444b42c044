import { balanceRoutes, balancerNames, memberCheckRoutes } from "#agent/ingress/caddy/balance-routes.ts";
import { type CertifiedNames, certificates } from "#agent/ingress/caddy/certificates.ts";
import { challengeRoutes } from "#agent/ingress/caddy/challenge-route.ts";
import { fleetServer, memberNames, memberships } from "#agent/ingress/caddy/fleet-server.ts";
import { readyRoutes } from "#agent/ingress/caddy/ready-routes.ts";
import { answer, answerPage, type CaddyRoute } from "#agent/ingress/caddy/route.ts";
import { rulesRoutes } from "#agent/ingress/caddy/rules-route.ts";
import {
  checkRoute,
  type IngressPlaces,
  namedRoutes,
  namesOf,
  portOf,
  redirectTo,
  visitorRoutes,
} from "#agent/ingress/caddy/site-routes.ts";
import { TYPES, typesRoute } from "#agent/ingress/caddy/types-route.ts";
import { isCovered } from "#agent/ingress/file-certificates.ts";
import { type Fleet, noFleet } from "#agent/ingress/fleet/resolve-fleet.ts";
import { isBalanced, type Named } from "#agent/ingress/name-sites.ts";
import { ingressPages, pageOf } from "#agent/ingress/page.ts";
import { type IngressPlan, publicSites } from "#agent/ingress/plan-ingress.ts";
import type { IngressSettings } from "#agent/ingress/settings.ts";

/** How long requests may take that began before a change of the configuration, or before Caddy was asked to end. */
const GRACE_PERIOD = "5m";

const UNKNOWN = answer(404, pageOf("No site", "There is no site at this address."));
const ERRORS: readonly CaddyRoute[] = [
  {
    match: [{ vars: { "{http.error.status_code}": ["502", "503", "504"] } }],
    handle: answerPage(ingressPages.down),
  },
  {
    handle: answer("{http.error.status_code}", pageOf("Error", "This page cannot be shown.")),
  },
];

/**
 * Caddy's whole configuration. It names files for everything that a deployment changes, because each change of the
 * configuration itself costs requests.
 */
export function caddyConfig(
  plan: IngressPlan,
  places: IngressPlaces,
  settings: IngressSettings,
): Record<string, unknown> {
  const { listen, trust } = settings;
  const withTls = listen === undefined;
  const { sites } = plan;
  // Without TLS of its own, this server is neither a balancer nor a member of one.
  const fleet = withTls ? plan.fleet : noFleet;
  const members = memberships(sites, fleet.entries);
  const visited = publicSites({ sites, fleet });
  const rules = rulesRoutes(sites.map(({ site }) => site.content));
  const named = sites.length === 0 ? {} : { named_routes: { ...rules, [TYPES]: typesRoute } };
  const from = trust.length === 0 ? "visitors" : "balancers";
  const routesOf = (each: Named): CaddyRoute[] =>
    isBalanced(each) ? balanceRoutes(each, places.slots) : visitorRoutes(each, places, settings, from);
  const fileNames = visited.flatMap(namesOf).filter((name) => isCovered(name, plan.certificates));
  return {
    admin: { listen: socketAddress(settings.admin), origins: ["gantry"], config: { persist: false } },
    // The agent checks every few seconds whether Caddy answers, which is not worth a line.
    logging: { logs: { default: { level: "INFO", exclude: ["admin.api"] } } },
    apps: {
      http: {
        http_port: settings.http_port,
        https_port: settings.https_port,
        grace_period: GRACE_PERIOD,
        servers: {
          sites: {
            listen: [listen ?? `:${settings.https_port}`],
            routes: [
              ...readyRoutes(places.slots),
              ...visited.flatMap((each) => namedRoutes(each, settings, routesOf(each))),
              { handle: UNKNOWN },
            ],
            errors: { routes: ERRORS },
            ...named,
            automatic_https: withTls ? automaticHttps(fileNames) : { disable: true },
            ...trustedProxies(settings),
          },
          ...(withTls
            ? { redirects: redirects(visited.flatMap(namesOf), { sites, fleet }, places, settings) }
            : {}),
          ...(members.length === 0
            ? {}
            : {
                fleet: {
                  ...fleetServer(members, places, settings, { handle: UNKNOWN }),
                  errors: { routes: ERRORS },
                  ...named,
                },
              }),
          check: checkServer({ sites, fleet }, places, settings, named),
        },
      },
      ...(withTls ? certificates(certifiedNames({ ...plan, fleet }, visited, members), settings) : {}),
    },
  };
}

/** For the agent, which checks sites and members here. */
function checkServer(
  { sites, fleet }: Pick<IngressPlan, "sites" | "fleet">,
  places: IngressPlaces,
  settings: IngressSettings,
  named: Record<string, unknown>,
): Record<string, unknown> {
  return {
    listen: [socketAddress(settings.check)],
    routes: [
      ...memberCheckRoutes(fleet.balanced),
      ...sites.map((site) => checkRoute(site, places)),
      { handle: UNKNOWN },
    ],
    errors: { routes: ERRORS },
    ...named,
    automatic_https: { disable: true },
  };
}

/** @param visited whose names visitors reach here @param members for which balancers reach this server */
function certifiedNames(
  { sites, fleet, certificates: files }: IngressPlan,
  visited: readonly Named[],
  members: ReturnType<typeof memberships>,
): CertifiedNames {
  const ofOwn = sites.filter(({ project }) => fleet.entries.get(project)?.type === "own");
  return {
    names: visited.flatMap(namesOf),
    fleetNames: [...memberNames(members), ...balancerNames(fleet.balanced)],
    ownNames: ofOwn.flatMap(namesOf),
    sharedNames: visited.filter((each) => isShared(each, fleet)).flatMap(namesOf),
    files,
  };
}

/** Whether a name leads to several servers, so that an issuer can ask any of them. */
function isShared(named: Named, { entries }: Fleet): boolean {
  if (isBalanced(named)) return named.peers.length > 0;
  const entry = entries.get(named.project);
  return entry?.type === "each" && entry.peers.length > 0;
}

/** @param fileNames the names with a certificate from a file, which Caddy must not request */
function automaticHttps(fileNames: readonly string[]): Record<string, unknown> {
  return {
    disable_redirects: true,
    ...(fileNames.length === 0 ? {} : { skip_certificates: fileNames }),
  };
}

/**
 * Who may say by `X-Forwarded-*` who the visitor is. A visitor can send such a header through a load balancer, which adds
 * the address that it has seen: so the last address counts that is not of a balancer.
 */
function trustedProxies({ listen, trust }: IngressSettings): Record<string, unknown> {
  const ranges = [...(listen === undefined ? [] : ["127.0.0.0/8", "::1/128"]), ...trust];
  if (ranges.length === 0) return {};
  return {
    trusted_proxies: { source: "static", ranges },
    ...(trust.length === 0 ? {} : { trusted_proxies_strict: 1 }),
  };
}

/** A socket for Caddy's own user and group, which is the agent's. */
function socketAddress(path: string): string {
  return `unix/${path}|0660`;
}

/**
 * Plain HTTP leads to HTTPS, except for the ready URL, and for the requests of a certificate's issuer, which Caddy answers
 * before this if it can.
 */
function redirects(
  hosts: readonly string[],
  { sites, fleet }: Pick<IngressPlan, "sites" | "fleet">,
  { slots }: IngressPlaces,
  settings: IngressSettings,
): Record<string, unknown> {
  const toHttps: CaddyRoute = redirectTo(`https://{http.request.host}${portOf(settings)}`, hosts, 308);
  return {
    listen: [`:${settings.http_port}`],
    routes: [
      ...readyRoutes(slots),
      ...challengeRoutes(sites, fleet),
      ...(hosts.length === 0 ? [] : [toHttps]),
      { handle: UNKNOWN },
    ],
    automatic_https: { disable: true },
  };
}
