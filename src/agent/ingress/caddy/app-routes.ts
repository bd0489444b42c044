import { earlierRoutes } from "#agent/ingress/caddy/earlier-routes.ts";
import {
  answerPage,
  compress,
  contentOf,
  type CaddyHandler,
  hasFile,
  type CaddyRoute,
} from "#agent/ingress/caddy/route.ts";
import { ingressPages, RETRY_SECONDS } from "#agent/ingress/page.ts";
import type { slotFiles } from "#agent/ingress/slots.ts";

type SlotFiles = ReturnType<typeof slotFiles>;
type ProxyHeaders = Record<string, readonly string[]>;

/**
 * Who sends the requests. `agent`: its own checks are requests by HTTPS for the app, although they come without TLS.
 * `balancers`: apps get the visitor's address alone, as without a balancer. Otherwise they would also get the balancer's, and
 * what the visitor has sent.
 */
type Sender = "visitors" | "balancers" | "agent";
const proxyHeaders = {
  visitors: {},
  balancers: { "X-Forwarded-For": ["{http.vars.client_ip}"] },
  agent: { "X-Forwarded-Proto": ["https"] },
} as const satisfies Record<Sender, ProxyHeaders>;

/** `assets`: the folder with the files of earlier releases. */
export type AppRoutesOptions = { readonly from: Sender; readonly assets: string };

/** How Caddy leads requests to an app. */
export function appRoutes(files: SlotFiles, { from, assets }: AppRoutesOptions): CaddyRoute[] {
  const headers: ProxyHeaders = proxyHeaders[from];
  return [
    { match: [hasFile(files.folder, "stopped")], handle: answerPage(ingressPages.stopped), terminal: true },
    // After a reboot, until the agent has started the instances.
    {
      match: [{ not: [hasFile(files.folder, "0")] }],
      handle: answerPage(ingressPages.starting),
      terminal: true,
    },
    { handle: [compress] },
    // The app is asked first, because only the app knows which files it has now.
    ...earlierRoutes(assets, (found) => [
      {
        ...proxyTo(files.slots, RETRY_SECONDS, headers),
        handle_response: [{ match: { status_code: [404] }, routes: [{ handle: found }] }],
      },
    ]),
    { handle: [proxyTo(files.slots, RETRY_SECONDS, headers)] },
  ];
}

/**
 * A request goes to another slot while a connection is refused, so that a restart of an instance fails none. An idle
 * connection is closed before the app would close it, because Caddy cannot repeat a POST that was sent into the end.
 */
function proxyTo(slots: readonly string[], retrySeconds: number, headers: ProxyHeaders): CaddyHandler {
  return {
    handler: "reverse_proxy",
    upstreams: slots.map((path) => ({ dial: contentOf(path) })),
    load_balancing: {
      selection_policy: { policy: "round_robin" },
      try_duration: `${retrySeconds}s`,
      try_interval: "100ms",
    },
    transport: { protocol: "http", compression: false, keep_alive: { idle_timeout: "1s" } },
    // Otherwise each change of a domain would close the WebSockets of all sites.
    stream_close_delay: "24h",
    ...(Object.keys(headers).length === 0 ? {} : { headers: { request: { set: headers } } }),
  };
}
