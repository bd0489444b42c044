import { and, eq, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm";

import type { FleetReport } from "#contract/agent-fleet.ts";
import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { HealthReason } from "#contract/endpoints/projects/health.ts";
import type { FleetSet } from "#domain/fleet/fleet-state.ts";
import { healthReasons } from "#domain/health/health-reasons.ts";
import type { ProcessReport } from "#contract/endpoints/processes/schemas.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import type {
  Containers,
  Disk,
  IsolationLevel,
  PolicyLevel,
  ToolReport,
} from "#contract/endpoints/servers/schemas.ts";
import type { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import type { Region } from "#contract/regions.ts";
import type { Growing } from "#contract/growing.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { isOneOf } from "#worker/db/statements.ts";
import { confirmedAt, servingServer } from "#worker/db/projects/served-project.ts";
import { projectServerId } from "#worker/db/projects/project-servers.ts";
import { projectServers } from "#worker/db/project-tables.ts";
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
  readonly isolation?: Growing<IsolationLevel> | null | undefined;
  /** null: the agent does not report it. */
  readonly policy?: Growing<PolicyLevel> | null | undefined;
  /** null: the agent does not report them. */
  readonly tools?: ToolReport[] | null | undefined;
  /** null: the agent does not report it. */
  readonly containers?: Containers | null | undefined;
  /** null: none. */
  readonly ingressProblem?: string | null | undefined;
  readonly connectedMsByDay?: Record<string, number>;
  /** Where the agent connected from. */
  readonly detectedRegion?: Region | undefined;
  /** When an agent that was running lost its link to another one with the same credential; null: never. */
  readonly takenOverAt?: number | null;
  /** The key for which secrets are sealed; null: the agent has none. */
  readonly sealKey?: SealKey | null | undefined;
  /** What the agent can do, as its hello says. */
  readonly capabilities?: string[] | undefined;
  /** How other servers reach its ingress. */
  readonly fleet?: FleetReport | undefined;
  /** What was sent about other servers. */
  readonly fleetSet?: FleetSet | undefined;
};

/** A status of an agent, without its reports about projects. */
export type StatusMark = {
  /** Of all its reports: two with the same digest report the same. */
  readonly digest: string;
  /** The projects of the reports. */
  readonly projectIds: readonly ProjectId[];
  /** Unix milliseconds. */
  readonly checkedAt: number;
};

/**
 * Records an agent's presence, and that it reported what D1 already has, if it did: both are one row.
 * @param status the status that the presence is from
 * @param more writes that are made in any case, in the same transaction
 * @returns whether D1 has the reports of the status. Changes nothing and returns null if a later presence is recorded
 */
export async function writePresence(
  rows: AccountRows,
  serverId: ServerId,
  presence: Presence,
  status: StatusMark | null = null,
  more: readonly Write[] = [],
): Promise<{ readonly hasReports: boolean } | null> {
  const { disk, ...columns } = presence;
  const changes = {
    ...columns,
    firstConnectedAt: sql`coalesce(${servers.firstConnectedAt}, iif(${servers.connectedMsByDay} = '{}', ${columns.connectedAt ?? null}, null))`,
    ...(disk === undefined || disk === null
      ? {}
      : {
          diskTotalBytes: disk.total_bytes,
          diskFreeBytes: disk.free_bytes,
          diskCacheBytes: disk.cache_bytes ?? null,
          diskImageBytes: disk.image_bytes ?? null,
          diskImages: disk.images ?? null,
        }),
    ...(status === null
      ? {}
      : {
          reportsCheckedAt: sql`iif(${isKnown(rows, status)}, ${status.checkedAt}, ${servers.reportsCheckedAt})`,
        }),
  };
  const notLater = or(isNull(servers.lastSeenAt), lte(servers.lastSeenAt, presence.lastSeenAt));
  const where = and(eq(servers.id, serverId), notLater);
  const write = rows.update(servers, changes, where);
  const written = await rows.runReturning(write, servers.reportsCheckedAt, more);
  if (written.length === 0) return null;
  return { hasReports: status !== null && written[0] === status.checkedAt };
}

/**
 * An agent's last report about a project: the release that `current` points to, the site's URL, if the agent serves it,
 * what runs, and why the ingress does not serve it as it should.
 */
export type ServingReport = {
  readonly servingRelease: number | null;
  /** Unix milliseconds. */
  readonly servingCheckedAt: number;
  readonly url: string | null;
  readonly reportedProcesses: readonly ProcessReport[] | null;
  readonly ingressProblem: string | null;
  readonly health: readonly HealthReason[];
};

/** What a project serves, for its row. */
export type ServingRow = { readonly projectId: ProjectId; readonly report: ServingReport };

/** The same, on one of its servers. */
type ServingOn = ServingRow & { readonly serverId: ServerId };

/** The columns of an agent's report. @param checkedAt Unix milliseconds */
export function servingReport(report: ProjectReport, checkedAt: number) {
  const { release, url, processes, ingress_problem: ingressProblem } = report;
  return {
    servingRelease: release,
    servingCheckedAt: checkedAt,
    url,
    reportedProcesses: processes ?? null,
    ingressProblem: ingressProblem ?? null,
    health: healthReasons(report),
  } satisfies ServingReport;
}

/**
 * Records what projects of a server serve, in one round trip. Skips a report if a later one is recorded, or if it is not
 * from the server on which the project is live (or will be deployed, if it is not live anywhere). Returns how many were
 * recorded.
 * @param status the status that contains exactly these reports. If all are recorded, the next status with the same
 * digest needs no write of them, unless something else was recorded in the meantime.
 */
export async function setServings(
  rows: AccountRows,
  serverId: ServerId,
  reports: readonly ServingRow[],
  status: StatusMark | null = null,
): Promise<number> {
  const values = reports.map((one) => ({ ...one, serverId }));
  const writes = servingWrites(rows, values);
  const marks = status === null ? [] : [keepConfirmed(rows, serverId), markReports(rows, serverId, status)];
  const changed = await rows.runTogether([...writes, ...marks]);
  return changed.slice(0, writes.length).reduce((sum, one) => sum + one, 0);
}

/**
 * The writes of reports: to the rows of the projects that are live on that server, and to the rows of the servers of projects
 * that have several. A report is skipped if a later one is recorded.
 */
export function servingWrites(rows: AccountRows, reports: readonly ServingOn[]): Write[] {
  const checkedAt = sql`given.value ->> 'servingCheckedAt'`;
  const changes = {
    servingRelease: sql`given.value ->> 'servingRelease'`,
    servingCheckedAt: checkedAt,
    url: sql`given.value ->> 'url'`,
    reportedProcesses: sql`given.value ->> 'reportedProcesses'`,
    ingressProblem: sql`given.value ->> 'ingressProblem'`,
    health: sql`given.value ->> 'health'`,
  };
  const notLater = ({ servingCheckedAt }: typeof projects | typeof projectServers) =>
    or(isNull(servingCheckedAt), sql`${servingCheckedAt} <= ${checkedAt}`);
  const isItsServer = sql`${servingServer(rows)} = given.value ->> 'serverId'`;
  const values = reports.map(({ report, projectId, serverId }) => ({
    ...{ id: projectServerId(projectId, serverId), projectId, serverId },
    ...report,
  }));
  const ofProject = and(sql`${projects.id} = given.value ->> 'projectId'`, isItsServer, notLater(projects));
  const ofServer = and(sql`${projectServers.id} = given.value ->> 'id'`, notLater(projectServers));
  return [
    ...rows.updateEach(projects, values, changes, ofProject),
    ...rows.updateEach(projectServers, values, changes, ofServer),
  ];
}

/** Gives the projects that are no longer in a status the time at which an earlier one contained them last. */
function keepConfirmed(rows: AccountRows, serverId: ServerId): Write {
  const confirmed = confirmedAt(rows);
  const isConfirmed = and(eq(projects.serverId, serverId), isNotNull(confirmed));
  return rows.update(projects, { servingCheckedAt: confirmed }, isConfirmed);
}

/** Notes in the same transaction whether D1 has all reports of a status. */
function markReports(rows: AccountRows, serverId: ServerId, status: StatusMark): Write {
  const { digest, checkedAt } = status;
  const mark = sql`iif(${hasAll(rows, status, sql`${checkedAt}`)}, ${digest}, null)`;
  const changes = { reportsDigest: mark, reportsSince: checkedAt, reportsCheckedAt: checkedAt };
  return rows.update(servers, changes, eq(servers.id, serverId));
}

/**
 * Whether D1 has what a status reports: the server's last one had the same digest, and nothing else was recorded of its
 * projects since D1 got it.
 */
function isKnown(rows: AccountRows, status: StatusMark): SQL {
  const isSame = sql`${servers.reportsDigest} = ${status.digest}`;
  return sql`${isSame} and ${hasAll(rows, status, sql`${servers.reportsSince}`)}`;
}

/** Whether the projects of a status have the reports that were recorded at a time. */
function hasAll(rows: AccountRows, { projectIds }: StatusMark, recordedAt: SQL): SQL {
  const isMember = and(
    eq(projectServers.projectId, projects.id),
    eq(projectServers.serverId, servers.id),
    eq(projectServers.servingCheckedAt, recordedAt),
  );
  const isRecorded = or(
    eq(projects.servingCheckedAt, recordedAt),
    sql`${rows.count(projectServers, isMember)} = 1`,
  );
  return sql`${rows.count(projects, and(isOneOf(projects.id, projectIds), isRecorded))} = ${projectIds.length}`;
}
