import type { CaddyHandler, CaddyRoute, Matcher } from "#agent/ingress/caddy/route.ts";
import { type NamedSite, namesOf } from "#agent/ingress/caddy/site-routes.ts";
import type { Fleet } from "#agent/ingress/fleet/resolve-fleet.ts";

/** Says that another server has passed the request on, so that it is not passed on again. */
const PASSED = "X-Gantry-Challenge";

/** As many as one name can have addresses for an issuer in practice. A request asks them in sequence. */
const MAX_PEERS = 20;

const CONNECT = "2s";
const ANSWER = "3s";

/**
 * An issuer asks any of the servers that a name leads to, and only the server that has ordered the certificate knows the
 * answer. Caddy answers what it knows before these routes. A server that answers can get a certificate. So requests for a name
 * of this server go only to the servers that serve or balance its project too. Requests for other names go to all servers that
 * share visitors with this server, because the first server of a new site gets its certificate before the others have the site.
 */
export function challengeRoutes(
  sites: readonly NamedSite[],
  { balanced, entries }: Pick<Fleet, "balanced" | "entries">,
): CaddyRoute[] {
  const all = [
    ...balanced.flatMap(({ peers }) => peers),
    ...[...entries.values()].flatMap((entry) => (entry.type === "each" ? entry.peers : [])),
  ];
  if (all.length === 0) return [];
  const isBalanced = new Set(balanced.flatMap(namesOf));
  const known = [
    ...balanced.map((site) => ({ host: namesOf(site), peers: site.peers })),
    ...sites.map((site) => {
      const entry = entries.get(site.project);
      const host = namesOf(site).filter((name) => !isBalanced.has(name));
      return { host, peers: entry?.type === "each" ? entry.peers : [] };
    }),
  ].filter(({ host }) => host.length > 0);
  const others = known.flatMap(({ host }) => host);
  return [
    ...known.flatMap(({ host, peers }) => (peers.length === 0 ? [] : [passOn(peers, { host })])),
    passOn(all, {}, others.length === 0 ? [] : [{ host: others }]),
  ];
}

function passOn(peers: readonly string[], names: Matcher, except: readonly Matcher[] = []): CaddyRoute {
  const asked = [...new Set(peers)].toSorted().slice(0, MAX_PEERS);
  const not = [{ header: { [PASSED]: ["1"] } }, ...except];
  const path = ["/.well-known/acme-challenge/*"];
  return { match: [{ path, method: ["GET"], ...names, not }], handle: [askInTurn(asked)], terminal: true };
}

/** Asks the first, and after every answer but a 200 the next one. */
function askInTurn([first = "", ...others]: readonly string[]): CaddyHandler {
  const next: CaddyHandler =
    others.length === 0 ? { handler: "static_response", status_code: 404 } : askInTurn(others);
  return {
    handler: "subroute",
    routes: [
      {
        handle: [
          {
            handler: "reverse_proxy",
            upstreams: [{ dial: first }],
            headers: { request: { set: { Host: ["{http.request.host}"], [PASSED]: ["1"] } } },
            transport: { protocol: "http", dial_timeout: CONNECT, response_header_timeout: ANSWER },
            handle_response: [
              {
                match: { status_code: [3, 4, 5] },
                routes: [{ handle: [{ handler: "error", status_code: 404 }] }],
              },
            ],
          },
        ],
      },
    ],
    errors: { routes: [{ handle: [next] }] },
  };
}
