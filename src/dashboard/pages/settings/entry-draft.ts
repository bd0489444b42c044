import * as z from "zod/mini";

import { type Entry, EntryType } from "#contract/endpoints/projects/entry.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { servesDomain } from "#contract/endpoints/projects/servers.ts";
import type { ServerRow } from "#contract/endpoints/servers/schemas.ts";
import { ServerId } from "#contract/ids.ts";

/** The fields of the form for `entry`. */
export const entryFields = {
  entry_type: EntryType,
  /** Kept while another type is chosen, and not sent then. */
  entry_balancers: z.array(ServerId),
  entry_sticky: z.boolean(),
};
export type EntryDraft = {
  readonly [Name in keyof typeof entryFields]: z.infer<(typeof entryFields)[Name]>;
};

export function entryDraft({ entry }: Pick<Project, "entry">): EntryDraft {
  return {
    entry_type: entry.type,
    entry_balancers: [...entry.balancers],
    entry_sticky: entry.sticky,
  };
}

/** The changed setting as a part of a PATCH, not validated yet. The API replaces it as a whole. */
export function entryChanges(draft: EntryDraft, saved: Pick<Project, "entry">): Record<string, unknown> {
  const next = entryIn(draft);
  return JSON.stringify(next) === JSON.stringify(entryIn(entryDraft(saved))) ? {} : { entry: next };
}

function entryIn({ entry_type: type, entry_balancers: balancers, entry_sticky: sticky }: EntryDraft): Entry {
  return type === "balancer" ? { type, balancers, sticky } : { type, balancers: [], sticky: false };
}

/** The addresses to which the saved host names should lead. Empty: of a load balancer that Gantry does not know. */
export function entryAddresses(
  { entry, servers, server_id: serverId }: Pick<Project, "entry" | "servers" | "server_id">,
  rows: readonly Pick<ServerRow, "id" | "ip">[],
): readonly string[] {
  const ids =
    entry.type === "balancer"
      ? entry.balancers
      : entry.type === "own"
        ? []
        : servers.length === 0
          ? [serverId]
          : servers.filter(servesDomain).map(({ id }) => id);
  return [...new Set(ids.flatMap((id) => rows.find((row) => row.id === id)?.ip ?? []))];
}
