import { contentOf, hasFile, type CaddyRoute } from "#agent/ingress/caddy/route.ts";
import { PAUSE_SECONDS } from "#agent/ingress/page.ts";
import type { slotFiles } from "#agent/ingress/slots.ts";

const HELD = "held";

/**
 * Holds a request during a pause, and then continues with the next route. Caddy tries the gate again while its address
 * refuses connections, and gives up when the gate is open or after 30 s. It has not read the request's body then.
 */
export function holdRoute(files: ReturnType<typeof slotFiles>): CaddyRoute {
  return {
    match: [
      {
        ...hasFile(files.folder, "paused/{time.now.unix}"),
        not: [hasFile(files.folder, "maintenance")],
      },
    ],
    handle: [
      {
        handler: "subroute",
        routes: [
          {
            handle: [
              {
                handler: "reverse_proxy",
                upstreams: [{ dial: contentOf(files.gate) }],
                load_balancing: { try_duration: `${PAUSE_SECONDS}s`, try_interval: "100ms" },
              },
            ],
          },
        ],
        errors: { routes: [{ handle: [{ handler: "vars", [HELD]: "yes" }] }] },
      },
    ],
  };
}

/**
 * Has the server for the agent's checks answer a held request to a static site: here, Caddy would answer with the status of
 * the gate's error.
 * @param check the socket of that server
 */
export function heldFilesRoute(check: string): CaddyRoute {
  return {
    match: [{ vars: { [HELD]: ["yes"] } }],
    handle: [
      {
        handler: "reverse_proxy",
        upstreams: [{ dial: `unix/${check}` }],
        transport: { protocol: "http", compression: false },
      },
    ],
    terminal: true,
  };
}
