import { aroundCalls } from "./intercept.ts";
import { type Part, partMethods } from "./parts.ts";

/** How often something went to each part outside the Worker's own isolate. */
export type RoundTrips = Readonly<Record<Part, number>>;

/** Counts while `act` runs; what Durable Objects do counts as well. */
export async function countRoundTrips(act: () => Promise<unknown>): Promise<RoundTrips> {
  const counted = { d1: 0, r2: 0, lane: 0, link: 0 };
  const inside = new Set<string>();
  const stops = partMethods().map(({ part, owner, method }) =>
    aroundCalls(owner, method, (call) => {
      // A batch of the database itself is handed on to a session of its own, which sends it.
      const isHandedOn = part === "d1" && inside.has(method);
      if (isHandedOn) return call();
      counted[part] += 1;
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
