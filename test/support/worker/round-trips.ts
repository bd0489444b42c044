import { onCalls } from "./intercept.ts";
import { type Part, partMethods } from "./parts.ts";

/** How often something went to each part outside the Worker's own isolate. */
export type RoundTrips = Readonly<Record<Part, number>>;

/** Counts while `act` runs; what Durable Objects do counts as well. */
export async function countRoundTrips(act: () => Promise<unknown>): Promise<RoundTrips> {
  const counted = { d1: 0, r2: 0, lane: 0, link: 0 };
  const stops = partMethods().map(({ part, owner, method }) =>
    onCalls(owner, method, () => (counted[part] += 1)),
  );
  await act();
  const until = { ...counted };
  for (const stop of stops) stop();
  return until;
}
