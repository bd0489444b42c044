import { DurableObject, env } from "cloudflare:workers";

import { AgentLink } from "#worker/objects/agent-link/agent-link.ts";
import { EventFeed } from "#worker/objects/event-feed/event-feed.ts";
import { Outlet } from "#worker/objects/outlet/outlet.ts";
import { ProjectLane } from "#worker/objects/project-lane/project-lane.ts";
import { databasePrototypes } from "./statements.ts";

/** A part outside an isolate. A call to it takes time, costs money, and can fail. */
export type Part = "d1" | "r2" | "lane" | "link" | "feed" | "outlet";

export type PartMethod = { readonly part: Part; readonly owner: object; readonly method: string };

/** All methods with which the Worker and its Durable Objects call other parts. */
export function partMethods(): PartMethod[] {
  const of = (part: Part, owner: object, methods: readonly string[]) =>
    methods.map((method): PartMethod => ({ part, owner, method }));
  const statement: object = Object.getPrototypeOf(env.DB.prepare("select 1"));
  return [
    ...of("d1", statement, ["run", "all", "raw", "first"]),
    ...databasePrototypes().flatMap((prototype) => of("d1", prototype, ["batch"])),
    ...of("r2", Object.getPrototypeOf(env.LOGS), ["get", "put", "head", "list", "delete"]),
    ...of("lane", ProjectLane.prototype, methodsOf(ProjectLane.prototype)),
    ...of("feed", EventFeed.prototype, ["announce"]),
    ...of("outlet", Outlet.prototype, methodsOf(Outlet.prototype)),
    ...of("link", AgentLink.prototype, methodsOf(AgentLink.prototype)),
  ];
}

/** The methods that other parts call, without the methods that the platform calls. */
function methodsOf(prototype: object): string[] {
  if (prototype === DurableObject.prototype) return [];
  const own = ["constructor", "alarm", "webSocketMessage", "webSocketClose", "webSocketError"];
  const inherited: object = Object.getPrototypeOf(prototype);
  const names = [...Object.getOwnPropertyNames(prototype), ...methodsOf(inherited)];
  return names.filter((name) => !own.includes(name));
}
