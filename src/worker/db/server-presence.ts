import { and, eq, isNull, lte, or, sql } from "drizzle-orm";

import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { Disk } from "#contract/servers.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
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
  return (await rows.run(servingWrite(rows, serverId, projectId, report))) === 1;
}

/** The same for all projects of a server, in one round trip. */
export async function setServings(
  rows: AccountRows,
  serverId: ServerId,
  said: readonly { readonly projectId: ProjectId; readonly report: ServingReport }[],
): Promise<void> {
  await rows.runTogether(
    said.map(({ projectId, report }) => servingWrite(rows, serverId, projectId, report)),
  );
}

function servingWrite(
  rows: AccountRows,
  serverId: ServerId,
  projectId: ProjectId,
  report: ServingReport,
): Write {
  const notLater = or(
    isNull(projects.servingCheckedAt),
    lte(projects.servingCheckedAt, report.servingCheckedAt),
  );
  const isLive = and(eq(deployments.projectId, projectId), sql`${deployments.status} = 'live'`);
  const liveOn = rows.first<ServerId>(deployments.serverId, deployments, isLive, sql`${deployments.version}`);
  const counts = sql`coalesce(${liveOn}, ${projects.serverId}) = ${serverId}`;
  return rows.update(projects, report, and(eq(projects.id, projectId), counts, notLater));
}
