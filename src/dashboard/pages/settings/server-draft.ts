import * as z from "zod/mini";

import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { isAlone, projectServers, type Rollout } from "#contract/endpoints/projects/servers.ts";
import { WEB } from "#contract/endpoints/processes/schemas.ts";
import { ServerId } from "#contract/ids.ts";
import { resolveProcesses } from "#contract/processes/resolve-processes.ts";

const ServerEntry = z.object({
  id: ServerId,
  /** The names of the processes that run on it; null: all. */
  processes: z.nullable(z.array(z.string())),
  cron: z.boolean(),
});
export type ServerEntry = Readonly<z.infer<typeof ServerEntry>>;

/** The fields of the form for `servers` and `rollout`. `servers` is empty while the project has one server, `server_id`. */
export const serverFields = {
  servers: z.array(ServerEntry),
  rollout_order: z.string(),
  rollout_batch: z.string(),
  rollout_pause_seconds: z.string(),
  /** Empty: none. */
  rollout_canary: z.string(),
  rollout_canary_approval: z.boolean(),
  rollout_on_failure: z.string(),
  rollout_offline: z.string(),
  rollout_min: z.string(),
};
export type ServersDraft = {
  readonly [Name in keyof typeof serverFields]: z.infer<(typeof serverFields)[Name]>;
};

type Saved = Pick<Project, "server_id" | "servers" | "rollout">;

export function serversDraft({ servers, rollout }: Saved): ServersDraft {
  return {
    servers: isAlone(servers) ? [] : servers.map((server) => ({ ...server })),
    rollout_order: rollout.order,
    rollout_batch: String(rollout.batch),
    rollout_pause_seconds: String(rollout.pause_seconds),
    rollout_canary: String(rollout.canary?.size ?? ""),
    rollout_canary_approval: rollout.canary?.approval ?? false,
    rollout_on_failure: rollout.on_failure,
    rollout_offline: rollout.offline,
    rollout_min: String(rollout.min),
  };
}

type Edited = Pick<ServersDraft, "servers"> & { readonly server_id: string };

/** The servers of a draft, of which there is at least one. */
export function entriesIn({ server_id: serverId, servers }: Edited): readonly ServerEntry[] {
  return projectServers(ServerId.parse(serverId), servers).map((server) => ({ ...server }));
}

/** The edits that give a project these servers. One server, before and after, is written as `server_id`. */
export function withEntries(
  entries: readonly ServerEntry[],
  saved: Saved,
): { server_id: string; servers: ServerEntry[] } {
  const [first] = entries;
  return isAlone(entries) && isAlone(saved.servers)
    ? { server_id: first?.id ?? saved.server_id, servers: [] }
    : { server_id: saved.server_id, servers: [...entries] };
}

/** Moves an entry to another place. @param by -1 for the place before, 1 for the place after */
export function movedEntry(
  entries: readonly ServerEntry[],
  id: ServerId,
  by: -1 | 1,
): readonly ServerEntry[] {
  const at = entries.findIndex((one) => one.id === id);
  const [entry, other] = [entries[at], entries[at + by]];
  if (entry === undefined || other === undefined) return entries;
  return entries.map((one) => (one === entry ? other : one === other ? entry : one));
}

/** The names that can be chosen for a server: the site's, the project's processes, and names chosen earlier. */
export function processNames(
  { detected_processes, processes }: Pick<Project, "detected_processes" | "processes">,
  entries: readonly ServerEntry[],
): readonly string[] {
  const defined = resolveProcesses(detected_processes, processes).map(({ name }) => name);
  return [...new Set([WEB, ...defined, ...entries.flatMap((entry) => entry.processes ?? [])])];
}

/** The changed settings of servers as a part of a PATCH, not validated yet. The API replaces the list as a whole. */
export function serverChanges(draft: ServersDraft, saved: Saved): Record<string, unknown> {
  const before = serversDraft(saved);
  const isOther = draft.servers.length > 0 && !isSame(draft.servers, before.servers);
  const rollout = rolloutChanges(draft, before);
  return {
    ...(isOther ? { servers: draft.servers } : {}),
    ...(Object.keys(rollout).length === 0 ? {} : { rollout }),
  };
}

function isSame(one: readonly ServerEntry[], other: readonly ServerEntry[]): boolean {
  const texts = [one, other].map((all) => all.map(({ id, processes, cron }) => [id, processes, cron]));
  return JSON.stringify(texts[0]) === JSON.stringify(texts[1]);
}

const rolloutNames = [
  "order",
  "batch",
  "pause_seconds",
  "on_failure",
  "offline",
  "min",
] as const satisfies readonly Exclude<keyof Rollout, "canary">[];

function rolloutChanges(draft: ServersDraft, before: ServersDraft): Record<string, unknown> {
  const changed = rolloutNames.filter((name) => draft[`rollout_${name}`] !== before[`rollout_${name}`]);
  const canary = canaryIn(draft);
  return {
    ...Object.fromEntries(changed.map((name) => [name, rolloutValue(name, draft[`rollout_${name}`].trim())])),
    ...(JSON.stringify(canary) === JSON.stringify(canaryIn(before)) ? {} : { canary }),
  };
}

function canaryIn({ rollout_canary: size, rollout_canary_approval: approval }: ServersDraft) {
  return size.trim() === "" ? null : { size: Number(size), approval };
}

function rolloutValue(name: (typeof rolloutNames)[number], text: string): unknown {
  switch (name) {
    case "batch":
    case "pause_seconds":
    case "min":
      return Number(text);
    case "order":
    case "on_failure":
    case "offline":
      return text;
  }
}
