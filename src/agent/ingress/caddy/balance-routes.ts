import {
  answerPage,
  contentOf,
  type CaddyHandler,
  type CaddyRoute,
  hasFile,
} from "#agent/ingress/caddy/route.ts";
import { type BalanceFile, balanceFiles, balanceFolder } from "#agent/ingress/fleet/balance-files.ts";
import { BALANCER_NAME, nameOfMember, nameOfProject, READY_NAME } from "#agent/ingress/fleet/fleet-names.ts";
import { type BalancedSite, type Member, membersOf } from "#agent/ingress/fleet/resolve-fleet.ts";
import { ingressPages, RETRY_SECONDS } from "#agent/ingress/page.ts";
import { READY_PATH } from "#contract/endpoints/servers/ready-path.ts";

/** In the browser of a visitor who should reach the same member again. */
export const STICKY_COOKIE = "gantry_server";

/** How long a member has to accept a connection before the request goes to another one. */
const CONNECT = "2s";
/** How long a member has to say whether it takes requests. */
const CHECK = "1s";

/**
 * With HTTP/2, all requests to a member share a connection. If the member loses its power, the connection stays stuck for
 * minutes, also for requests that come after the member is back.
 */
const HTTP_1 = ["1.1"];

/** How a balancer leads the requests of a project to its members. What they answer is passed on, also their pages. */
export function balanceRoutes(site: BalancedSite, slots: string): CaddyRoute[] {
  if (site.members.length === 0) return [{ handle: answerPage(ingressPages.starting) }];
  const files = balanceFiles(slots, site);
  const bySlots: CaddyRoute = {
    handle: [
      proxyTo(
        site,
        files.map(({ path }) => contentOf(path)),
      ),
    ],
  };
  return [...untilWritten(site, slots, files[0]), bySlots];
}

/** Leads requests by the addresses in the configuration: after a reboot, until the agent has written the slots. */
function untilWritten(site: BalancedSite, slots: string, first: BalanceFile | undefined): CaddyRoute[] {
  if (first === undefined) return [];
  const dials = site.members.map(({ dial }) => dial);
  return [
    {
      match: [{ not: [hasFile(balanceFolder(slots, site.project), first.name)] }],
      handle: [proxyTo(site, dials)],
      terminal: true,
    },
  ];
}

function proxyTo({ project, members, sticky }: BalancedSite, dials: readonly string[]): CaddyHandler {
  const roundRobin = { policy: "round_robin" };
  return {
    handler: "reverse_proxy",
    upstreams: dials.map((dial) => ({ dial })),
    load_balancing: {
      selection_policy: sticky
        ? {
            policy: "cookie",
            name: STICKY_COOKIE,
            // It protects nothing: a visitor may choose a server. Two balancers must agree on it.
            secret: project,
            fallback: roundRobin,
          }
        : roundRobin,
      try_duration: `${RETRY_SECONDS}s`,
      try_interval: "100ms",
    },
    headers: {
      request: {
        set: { Host: ["{http.request.host}"], "X-Forwarded-For": ["{http.vars.client_ip}"] },
      },
    },
    transport: {
      protocol: "http",
      compression: false,
      dial_timeout: CONNECT,
      versions: HTTP_1,
      keep_alive: { idle_timeout: "10s", max_idle_conns_per_host: 256 },
      tls: { ...tlsTo(nameOfProject(project), members), handshake_timeout: CONNECT },
    },
    // Otherwise each change of a domain would close the WebSockets of all sites.
    stream_close_delay: "24h",
  };
}

/**
 * Where the agent asks whether a member takes requests, on the socket for its checks: over the port and with the certificates
 * that the visitors' requests use.
 */
export function memberCheckRoutes(sites: readonly BalancedSite[]): CaddyRoute[] {
  return membersOf(sites).map((member) => ({
    match: [{ host: [nameOfMember(member.server)], path: [READY_PATH] }],
    handle: [
      {
        handler: "reverse_proxy",
        upstreams: [{ dial: member.dial }],
        transport: {
          protocol: "http",
          compression: false,
          versions: HTTP_1,
          dial_timeout: CHECK,
          response_header_timeout: CHECK,
          tls: { ...tlsTo(READY_NAME, [member]), handshake_timeout: CHECK },
        },
      },
    ],
    terminal: true,
  }));
}

/** The certificates by which a balancer and a member know each other. Each server has an authority of its own. */
function tlsTo(name: string, members: readonly Member[]): Record<string, unknown> {
  return {
    server_name: name,
    client_certificate_automate: BALANCER_NAME,
    ca: { provider: "inline", trusted_ca_certs: [...new Set(members.map(({ root }) => root))] },
  };
}

/** The names in certificates that only servers of the fleet show each other. */
export function balancerNames(sites: readonly BalancedSite[]): readonly string[] {
  return sites.length === 0 ? [] : [BALANCER_NAME];
}
