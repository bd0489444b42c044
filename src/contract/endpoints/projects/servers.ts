import * as z from "zod/mini";

import { listUpTo, wholeBetween } from "#contract/bounds.ts";
import { MAX_PROCESSES, ProcessName, WEB } from "#contract/endpoints/processes/schemas.ts";
import { ServerId } from "#contract/ids.ts";

/** The maximum number of servers of a project. */
export const MAX_SERVERS = 50;

/**
 * A server of a project. `processes`: the processes that run on it; null: all. A server without the process `web` in its list
 * does not serve the project's domain. `cron`: whether the cron jobs run on it.
 */
export const ProjectServer = z.strictObject({
  id: ServerId,
  processes: z._default(z.nullable(listUpTo(ProcessName, MAX_PROCESSES)), null),
  cron: z._default(z.boolean(), false),
});
export type ProjectServer = z.infer<typeof ProjectServer>;

/**
 * The servers of a project, in the order in which they switch. The first one is the project's `server_id`. A project that
 * was stored with an empty list has only that one.
 */
export const ProjectServers = listUpTo(ProjectServer, MAX_SERVERS);

/** The servers in a request: each once, and the cron jobs on at most one. Empty: only the `server_id`. */
export const NewServers = ProjectServers.check(
  z.superRefine((servers, context) => {
    const refuse = (path: (string | number)[], message: string) =>
      context.addIssue({ code: "custom", path, message });
    for (const [at, { id, cron, processes }] of servers.entries()) {
      const before = servers.slice(0, at);
      if (before.some((one) => one.id === id)) refuse([at, "id"], "is named twice");
      const other = cron ? before.find((one) => one.cron) : undefined;
      if (other !== undefined)
        refuse([at, "cron"], `must be true for one server only, and is for ${other.id}`);
      const again = (processes ?? []).findIndex((name, nth, all) => all.indexOf(name) !== nth);
      if (again !== -1) refuse([at, "processes", again], "is named twice");
    }
  }),
);

/** As `NewServers`, for a change: at least one. */
export const ChangedServers = NewServers.check(z.minLength(1));

/** The servers of a project. @param servers its setting; empty: only `serverId` */
export function projectServers(
  serverId: ServerId,
  servers: readonly ProjectServer[],
): readonly ProjectServer[] {
  return servers.length === 0 ? [{ id: serverId, processes: null, cron: false }] : servers;
}

/** Whether there is nothing to say about the servers besides the `server_id`: one, on which everything runs. */
export function isAlone(servers: readonly ProjectServer[]): boolean {
  return servers.length === 0 || (servers.length === 1 && servers[0]?.processes === null);
}

/** The server on which the cron jobs run; null: there are no servers. */
export function cronServer(servers: readonly ProjectServer[]): ServerId | null {
  return (servers.find(({ cron }) => cron) ?? servers[0])?.id ?? null;
}

/** Whether a process runs on a server. */
export function runsOn({ processes }: Pick<ProjectServer, "processes">, process: string): boolean {
  return processes === null || processes.includes(process);
}

/** Whether a server serves the domain. */
export function servesDomain(server: Pick<ProjectServer, "processes">): boolean {
  return runsOn(server, WEB);
}

const Canary = z.strictObject({
  size: wholeBetween(1, MAX_SERVERS),
  approval: z._default(z.boolean(), false),
});

/** The fields of a change of `Rollout`. */
export const rolloutFields = {
  order: z.enum(["rolling", "at_once"]),
  batch: wholeBetween(1, MAX_SERVERS),
  pause_seconds: wholeBetween(0, 3600),
  canary: z.nullable(
    z.strictObject({ size: wholeBetween(1, MAX_SERVERS), approval: z.optional(z.boolean()) }),
  ),
  on_failure: z.enum(["revert", "stop", "continue"]),
  offline: z.enum(["wait", "skip"]),
  min: wholeBetween(1, MAX_SERVERS),
};

/**
 * How a deployment gets to the servers of a project. No server switches before all are ready.
 *
 * `order`: whether servers switch in batches of `batch`, with `pause_seconds` between them, or all at once. `canary`: how many
 * switch first, and whether a person must approve that the others follow; null: as many as in each batch.
 * `on_failure`: what happens if a server fails after another one has switched. `revert`: servers that have switched go back.
 * `stop`: they stay, and the others keep what they serve. `continue`: the others switch too, if at least `min` can.
 * `offline`: whether a server that is not connected is waited for, or left out while `min` remain.
 */
export const Rollout = z.strictObject({
  order: z._default(rolloutFields.order, "rolling"),
  batch: z._default(rolloutFields.batch, 1),
  pause_seconds: z._default(rolloutFields.pause_seconds, 0),
  canary: z._default(z.nullable(Canary), null),
  on_failure: z._default(rolloutFields.on_failure, "revert"),
  offline: z._default(rolloutFields.offline, "wait"),
  min: z._default(rolloutFields.min, 1),
});
export type Rollout = z.infer<typeof Rollout>;

/** Changes of the setting. Omitted fields keep their values, also `approval` of the canary. */
export const RolloutChanges = z.partial(z.strictObject(rolloutFields));
export type RolloutChanges = z.infer<typeof RolloutChanges>;
