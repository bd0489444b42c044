import { and, eq, isNull, lte, or, sql } from "drizzle-orm";

import type { ProcessReport } from "#contract/endpoints/processes/schemas.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { Disk, IsolationLevel, ToolReport } from "#contract/endpoints/servers/schemas.ts";
import type { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { servingServer } from "#worker/db/projects/find-served-project.ts";
import { projects, servers } from "#worker/db/schema.ts";

/** An agent's connection as of `lastSeenAt` (Unix milliseconds). Omitted fields keep their values. */
export type Presence = {
  readonly lastSeenAt: number;
  /** When the agent connected; null: it is not connected. */
  readonly connectedAt?: number | null;
  readonly agentVersion?: string;
  /** The protocol of an agent that was refused for it, and when; null: the agent's protocol is supported. */
  readonly agentMismatch?: { readonly protocol: number; readonly at: number } | null;
  /** null: unknown. */
  readonly disk?: Disk | null;
  /** null: the agent does not report it. */
  readonly isolation?: IsolationLevel | null | undefined;
  /** null: the agent does not report them. */
  readonly tools?: ToolReport[] | null | undefined;
  readonly connectedMsByDay?: Record<string, number>;
  /** The key for which secrets are sealed; null: the agent has none. */
  readonly sealKey?: SealKey | null | undefined;
};

/** Records an agent's presence. Returns false and changes nothing if a later presence is recorded. */
export async function writePresence(
  rows: AccountRows,
  serverId: ServerId,
  presence: Presence,
): Promise<boolean> {
  const { disk, ...columns } = presence;
  const changes =
    disk === undefined || disk === null
      ? columns
      : {
          ...columns,
          diskTotalBytes: disk.total_bytes,
          diskFreeBytes: disk.free_bytes,
          diskCacheBytes: disk.cache_bytes ?? null,
        };
  const notLater = or(isNull(servers.lastSeenAt), lte(servers.lastSeenAt, presence.lastSeenAt));
  return (await rows.run(rows.update(servers, changes, and(eq(servers.id, serverId), notLater)))) === 1;
}

/**
 * An agent's last report about a project: the release that `current` points to, the site's URL, if the agent serves it,
 * and what runs.
 */
type ServingReport = {
  readonly servingRelease: number | null;
  /** Unix milliseconds. */
  readonly servingCheckedAt: number;
  readonly url: string | null;
  readonly reportedProcesses: readonly ProcessReport[] | null;
};

/**
 * Records what projects of a server serve, in one round trip. Skips a report if a later one is recorded, or if it is not
 * from the server on which the project is live (or will be deployed, if it is not live anywhere). Returns how many were
 * recorded.
 */
export async function setServings(
  rows: AccountRows,
  serverId: ServerId,
  reports: readonly { readonly projectId: ProjectId; readonly report: ServingReport }[],
): Promise<number> {
  const checkedAt = sql`given.value ->> 'servingCheckedAt'`;
  const changes = {
    servingRelease: sql`given.value ->> 'servingRelease'`,
    servingCheckedAt: checkedAt,
    url: sql`given.value ->> 'url'`,
    reportedProcesses: sql`given.value ->> 'reportedProcesses'`,
  };
  const notLater = or(isNull(projects.servingCheckedAt), sql`${projects.servingCheckedAt} <= ${checkedAt}`);
  const isItsServer = sql`${servingServer(rows)} = ${serverId}`;
  const values = reports.map(({ projectId, report }) => ({ projectId, ...report }));
  const where = and(sql`${projects.id} = given.value ->> 'projectId'`, isItsServer, notLater);
  const changed = await rows.runTogether(rows.updateEach(projects, values, changes, where));
  return changed.reduce((sum, one) => sum + one, 0);
}
