import { join } from "node:path";

import {
  type CaddyHandler,
  type CaddyRoute,
  contentOf,
  hasFile,
  setHeaders,
} from "#agent/ingress/caddy/route.ts";
import { serverSlots } from "#agent/ingress/slots.ts";
import { READY_PATH } from "#contract/endpoints/servers/ready-path.ts";

/**
 * Answers the ready URL, and no more than that to anybody on the Internet. It comes before the routes of all sites. After a
 * reboot it says `starting` until the agent has started the apps, which answer 503 until then.
 * @param slots the folder of all slots
 */
export function readyRoutes(slots: string): CaddyRoute[] {
  return routesOf([
    { match: [hasFile(slots, serverSlots.draining)], handle: say(503, "draining"), terminal: true },
    { match: [hasFile(slots, serverSlots.started)], handle: say(200, "ready"), terminal: true },
    { handle: say(503, "starting") },
  ]);
}

/**
 * As `readyRoutes`, for balancers: they also need to know which projects the server serves, which the agent writes into a
 * file. So a deployment or a removal needs no message to them.
 */
export function memberReadyRoutes(slots: string): CaddyRoute[] {
  const projects = contentOf(join(slots, serverSlots.serving));
  const isServing = hasFile(slots, serverSlots.serving);
  const withProjects = (name: string, status: number, word: string) => ({
    match: [hasFile(slots, name)],
    handle: say(status, `${word}\n${projects}`),
    terminal: true,
  });
  return routesOf([
    // Before the agent has written it.
    { match: [{ not: [isServing] }], handle: say(503, "starting"), terminal: true },
    withProjects(serverSlots.draining, 503, "draining"),
    withProjects(serverSlots.started, 200, "ready"),
    { handle: say(503, "starting") },
  ]);
}

function routesOf(answers: readonly CaddyRoute[]): CaddyRoute[] {
  return [
    {
      match: [{ path: [READY_PATH] }],
      handle: [
        {
          handler: "subroute",
          routes: answers,
        },
      ],
      terminal: true,
    },
    { match: [{ path: [`${READY_PATH}/*`] }], handle: say(404, "not found"), terminal: true },
  ];
}

function say(status: number, text: string): CaddyHandler[] {
  return [
    setHeaders({ "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" }),
    { handler: "static_response", status_code: status, body: `${text}\n` },
  ];
}
