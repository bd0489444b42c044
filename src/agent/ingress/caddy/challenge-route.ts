import { type CaddyHandler, type CaddyRoute } from "#agent/ingress/caddy/route.ts";
import type { Fleet } from "#agent/ingress/fleet/resolve-fleet.ts";

/** Says that another server has passed the request on, so that it is not passed on again. */
const PASSED = "X-Gantry-Challenge";

/** As many as one name can have addresses for an issuer in practice. A request asks them in sequence. */
const MAX_PEERS = 20;

const CONNECT = "2s";
const ANSWER = "3s";

/**
 * An issuer asks any of the servers that a name leads to, and only the server that has ordered the certificate knows the
 * answer. Caddy answers what it knows before this route. The route is for every host name, because the first server of a new
 * site gets its certificate before the others have the site.
 */
export function challengeRoutes({ balanced, entries }: Fleet): CaddyRoute[] {
  const all = [
    ...balanced.flatMap(({ peers }) => peers),
    ...[...entries.values()].flatMap((entry) => (entry.type === "each" ? entry.peers : [])),
  ];
  const peers = [...new Set(all)].toSorted().slice(0, MAX_PEERS);
  if (peers.length === 0) return [];
  return [
    {
      match: [
        { path: ["/.well-known/acme-challenge/*"], method: ["GET"], not: [{ header: { [PASSED]: ["1"] } }] },
      ],
      handle: [askInTurn(peers)],
      terminal: true,
    },
  ];
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
