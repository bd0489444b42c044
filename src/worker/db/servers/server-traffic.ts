import { and, eq, isNotNull, sql } from "drizzle-orm";

import type { DrainState } from "#contract/endpoints/servers/drain.ts";
import type { MaintenanceState } from "#contract/endpoints/traffic/schemas.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { isPlacedOn } from "#worker/db/projects/list-projects.ts";
import { countShared } from "#worker/db/servers/shared-projects.ts";
import { projects, servers } from "#worker/db/schema.ts";

/**
 * What a server must show visitors and load balancers. `drain`: null: it was never drained. `isShared`: whether it serves a project
 * together with others.
 */
export type ServerTraffic = {
  readonly isShared: boolean;
  readonly drain: DrainState | null;
  /** The projects that have ever been in maintenance. */
  readonly maintained: readonly { readonly projectId: ProjectId; readonly maintenance: MaintenanceState }[];
};

/** Reads what a server must show, in one round trip. */
export async function findTraffic(rows: AccountRows, serverId: ServerId): Promise<ServerTraffic> {
  const inMaintenance = and(isNotNull(projects.maintenance), isPlacedOn(rows, serverId));
  const fields = { projectId: projects.id, maintenance: projects.maintenance };
  const [found, [server]] = await rows.selectBoth(
    [fields, projects, { where: inMaintenance }],
    [
      { drain: servers.drain, shared: countShared(rows, serverId) },
      servers,
      { where: eq(servers.id, serverId) },
    ],
  );
  const maintained = found.flatMap(({ projectId, maintenance }) =>
    maintenance === null ? [] : [{ projectId, maintenance }],
  );
  return { drain: server?.drain ?? null, maintained, isShared: (server?.shared ?? 0) > 0 };
}

/**
 * Drains a server, or ends that. The revision grows with each change, also if two clocks differ. A repeated change is
 * not written.
 * @param now Unix milliseconds
 * @param recorded the writes that record it
 */
export async function setDrain(
  rows: AccountRows,
  id: ServerId,
  isDraining: boolean,
  now: number,
  recorded: readonly Write[],
): Promise<void> {
  const current = servers.drain;
  // D1 binds each number as a REAL, which would be in the JSON as 1795882049595.0.
  const revision = sql`cast(max(${now}, coalesce(${current} ->> 'revision', 0) + 1) as integer)`;
  const since = isDraining ? sql`cast(${now} as integer)` : sql`null`;
  const drain = sql`json_object('revision', ${revision}, 'since', ${since})`;
  const isChange = sql`${servers.id} = ${id} and (${current} ->> 'since' is null) = ${isDraining ? 1 : 0}`;
  await rows.runTogether([rows.update(servers, { drain }, isChange), ...recorded]);
}
