import { aroundCalls } from "./intercept.ts";
import { type Part, partMethods } from "./parts.ts";

/** The number of calls to each part outside the Worker's isolate. Lanes include Outlets. No request waits for an EventFeed. */
export type RoundTrips = Readonly<Record<Exclude<Part, "feed" | "outlet">, number>>;

/** Counts the calls during `act`, including calls of Durable Objects. */
export async function countRoundTrips(act: () => Promise<unknown>): Promise<RoundTrips> {
  const counted = { d1: 0, r2: 0, lane: 0, link: 0 };
  const inside = new Set<string>();
  const stops = partMethods().map(({ part, owner, method }) =>
    aroundCalls(owner, method, (call) => {
      if (part === "feed") return Promise.resolve();
      // The database passes a batch to its own session, which sends it and is counted.
      const isHandedOn = part === "d1" && inside.has(method);
      if (isHandedOn) return call();
      counted[part === "outlet" ? "lane" : part] += 1;
      inside.add(method);
      try {
        return call();
      } finally {
        inside.delete(method);
      }
    }),
  );
  await act();
  const until = { ...counted };
  for (const stop of stops) stop();
  return until;
}
