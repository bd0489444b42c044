import { env } from "cloudflare:workers";

import { AgentLink } from "#worker/objects/agent-link.ts";
import { ProjectLane } from "#worker/objects/project-lane.ts";
import { onCalls } from "./intercept.ts";
import { databasePrototypes } from "./statements.ts";

/** How often something went to each part outside the Worker's own isolate. */
export type RoundTrips = {
  readonly d1: number;
  readonly r2: number;
  readonly lane: number;
  readonly link: number;
};

/** Counts while `act` runs; what Durable Objects do counts as well. */
export async function countRoundTrips(act: () => Promise<unknown>): Promise<RoundTrips> {
  const counted = { d1: 0, r2: 0, lane: 0, link: 0 };
  const stops: (() => void)[] = [];
  const count = (part: keyof RoundTrips, owner: object, methods: readonly string[]) => {
    for (const method of methods) stops.push(onCalls(owner, method, () => (counted[part] += 1)));
  };
  count("d1", Object.getPrototypeOf(env.DB.prepare("select 1")), ["run", "all", "raw", "first"]);
  for (const prototype of databasePrototypes()) count("d1", prototype, ["batch"]);
  count("r2", Object.getPrototypeOf(env.LOGS), ["get", "put", "head", "list", "delete"]);
  count("lane", ProjectLane.prototype, methodsOf(ProjectLane.prototype));
  count("link", AgentLink.prototype, methodsOf(AgentLink.prototype));
  await act();
  const until = { ...counted };
  for (const stop of stops) stop();
  return until;
}

function methodsOf(prototype: object): string[] {
  return Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor" && name !== "alarm");
}
