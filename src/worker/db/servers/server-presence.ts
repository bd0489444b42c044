import { and, eq, isNull, lte, or, sql } from "drizzle-orm";

import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { Disk } from "#contract/endpoints/servers/schemas.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deployments, projects, servers } from "#worker/db/schema.ts";

/** What is known of an agent's connection at `lastSeenAt` (Unix milliseconds). What is left out stays as it is. */
export type Presence = {
  readonly lastSeenAt: number;
  /** Since when the agent has been connected; null: it is not. */
  readonly connectedAt?: number | null;
  readonly agentVersion?: string;
  /** The protocol of an agent that is not let in for it, and when it tried; null: it is. */
  readonly agentMismatch?: { readonly protocol: number; readonly at: number } | null;
  /** null: not known. */
  readonly disk?: Disk | null;
  readonly connectedMsByDay?: Record<string, number>;
};

/** Records an agent's presence. Returns false, and changes nothing, where something later is already recorded. */
export async function writePresence(
  rows: AccountRows,
  serverId: ServerId,
  presence: Presence,
): Promise<boolean> {
  const { disk, ...columns } = presence;
  const changes =
    disk === undefined || disk === null
      ? columns
      : { ...columns, diskTotalBytes: disk.total_bytes, diskFreeBytes: disk.free_bytes };
  const notLater = or(isNull(servers.lastSeenAt), lte(servers.lastSeenAt, presence.lastSeenAt));
  return (await rows.run(rows.update(servers, changes, and(eq(servers.id, serverId), notLater)))) === 1;
}

/** What an agent last said of a project: the release that `current` points to, and where it serves the site, if it does. */
export type ServingReport = {
  readonly servingRelease: number | null;
  /** Unix milliseconds. */
  readonly servingCheckedAt: number;
  readonly url: string | null;
};

/**
 * Records what a project serves. Returns false, and changes nothing, where something later is already recorded, or
 * where it is another server's word that counts: the one that the project is live on, or is to be deployed to.
 */
export async function setServing(
  rows: AccountRows,
  serverId: ServerId,
  projectId: ProjectId,
  report: ServingReport,
): Promise<boolean> {
  return (await setServings(rows, serverId, [{ projectId, report }])) === 1;
}

/** The same for all projects of a server, in one round trip. Returns of how many it was recorded. */
export async function setServings(
  rows: AccountRows,
  serverId: ServerId,
  said: readonly { readonly projectId: ProjectId; readonly report: ServingReport }[],
): Promise<number> {
  const checkedAt = sql`given.value ->> 'servingCheckedAt'`;
  const changes = {
    servingRelease: sql`given.value ->> 'servingRelease'`,
    servingCheckedAt: checkedAt,
    url: sql`given.value ->> 'url'`,
  };
  const notLater = or(isNull(projects.servingCheckedAt), sql`${projects.servingCheckedAt} <= ${checkedAt}`);
  const isLive = and(eq(deployments.projectId, projects.id), sql`${deployments.status} = 'live'`);
  const liveOn = rows.first<ServerId>(deployments.serverId, deployments, isLive, sql`${deployments.version}`);
  const counts = sql`coalesce(${liveOn}, ${projects.serverId}) = ${serverId}`;
  const values = said.map(({ projectId, report }) => ({ projectId, ...report }));
  const where = and(sql`${projects.id} = given.value ->> 'projectId'`, counts, notLater);
  const changed = await rows.runTogether(rows.updateEach(projects, values, changes, where));
  return changed.reduce((sum, one) => sum + one, 0);
}
