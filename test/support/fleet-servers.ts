import { createIdGenerator, type ServerId } from "#contract/ids.ts";

let clock = 1_800_000_000_000;
const ids = createIdGenerator({ now: () => (clock += 1), randomBytes: (count) => new Uint8Array(count) });
const servers: ServerId[] = [];

/** The first servers of a project: the same in each test, so that a failing one can be repeated. */
export function sharedServers(count: number): readonly ServerId[] {
  while (servers.length < count) servers.push(ids.server());
  return servers.slice(0, count);
}
