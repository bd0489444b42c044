import * as z from "zod/mini";

import { cronServer, isAlone, ProjectServers, Rollout } from "#contract/endpoints/projects/servers.ts";
import type { Place } from "#contract/agent-order.ts";
import type { ServerId } from "#contract/ids.ts";

/**
 * The servers of a project that has several, in the order in which they switch. The first one is the project's `server_id`.
 * `names`: of the servers when the deployment was started, by their ids. Absent in records of older versions.
 */
export const Fleet = z.strictObject({
  servers: ProjectServers,
  rollout: Rollout,
  names: z.optional(z.record(z.string(), z.string())),
});
export type Fleet = z.infer<typeof Fleet>;

/** The servers of a project for its plan; undefined: it has one, on which everything runs. */
export function fleetOf(
  { servers, rollout }: Pick<Fleet, "servers" | "rollout">,
  names: Readonly<Record<string, string>>,
): Fleet | undefined {
  return isAlone(servers) ? undefined : { servers, rollout, names };
}

/** What a log line calls a server: its name, or its id if the name is not known. */
export function nameIn(fleet: Fleet | undefined, serverId: ServerId): string {
  return fleet?.names?.[serverId] ?? serverId;
}

/** The ids of the servers. */
export function idsOf({ servers }: Pick<Fleet, "servers">): readonly ServerId[] {
  return servers.map(({ id }) => id);
}

/** The servers that carry out a deployment. @param first the server of the project; of several, the first */
export function serversOf(
  { fleet }: { readonly fleet?: Fleet | undefined },
  first: ServerId,
): readonly ServerId[] {
  return fleet === undefined ? [first] : idsOf(fleet);
}

/** What runs on a server; null: it is none of them. */
export function placeOf({ servers }: Fleet, serverId: ServerId): Pick<Place, "processes" | "cron"> | null {
  const server = servers.find(({ id }) => id === serverId);
  return server === undefined
    ? null
    : { processes: server.processes, cron: cronServer(servers) === serverId };
}

/** How many servers must switch, at most all of them: a run that is ready has no deadline, so it would wait forever for more. */
export function minimumOf({ servers, rollout }: Fleet): number {
  return Math.max(1, Math.min(rollout.min, servers.length));
}

/** How many servers may switch at a time. */
export function batchOf({ servers, rollout }: Fleet): number {
  return rollout.order === "at_once" ? servers.length : rollout.batch;
}

/** How many servers may switch first. */
export function firstBatchOf(fleet: Fleet): number {
  return fleet.rollout.canary?.size ?? batchOf(fleet);
}
