import { and, eq, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { DetectedPreset } from "#contract/endpoints/projects/detected-preset.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { isRepositoryOf } from "#worker/db/projects/project-repository.ts";
import { projectServers } from "#worker/db/project-tables.ts";
import { servingServer } from "#worker/db/projects/served-project.ts";
import { projects } from "#worker/db/schema.ts";
import { type ServingReport, servingWrites } from "#worker/db/servers/server-presence.ts";

/** What a project's deployments have changed. Null: nothing new. */
export type ProjectState = {
  /** When the newest of the deployments that have ended was requested, in Unix milliseconds. */
  readonly lastDeployAt: number | null;
  /** The settings that the latest deployment detected from the project's files. */
  readonly detected: DetectedPreset | null;
  /** The key of the repository that the server has read. */
  readonly readRepository: string | null;
  /** What servers serve. */
  readonly servings: readonly { readonly serverId: ServerId; readonly report: ServingReport }[];
  /** Whether the project has several servers, each with a row for its reports. */
  readonly hasSeveral: boolean;
};

/**
 * The write of a project's state, after the deployments' writes in the same batch: they decide from which server a report
 * is accepted. As in `setServings`, a report is skipped if a later one is recorded. Safe to repeat.
 */
export function projectStateWrites(
  rows: AccountRows,
  projectId: ProjectId,
  { lastDeployAt, detected, servings, hasSeveral, readRepository }: ProjectState,
): Write[] {
  // One report is in the same row as the other changes.
  const only = hasSeveral ? undefined : servings[0];
  const changes = {
    ...(lastDeployAt === null
      ? {}
      : { lastDeployAt: sql`max(coalesce(${projects.lastDeployAt}, 0), ${lastDeployAt})` }),
    ...(detected === null ? {} : { detected }),
    ...(readRepository === null
      ? {}
      : {
          readRepository: sql`iif(${isRepositoryOf(readRepository)}, ${readRepository}, ${projects.readRepository})`,
        }),
    ...(only === undefined ? {} : servingChanges(rows, only)),
  };
  const reports = servings.map(({ serverId, report }) => ({ projectId, serverId, report }));
  return [
    ...(Object.keys(changes).length === 0
      ? []
      : [rows.update(projects, changes, eq(projects.id, projectId))]),
    ...(hasSeveral ? servingWrites(rows, reports) : []),
    ...(hasSeveral && lastDeployAt !== null ? [firstServerWrite(rows, projectId)] : []),
  ];
}

/**
 * Gives a project what its first server reports. It reports when it switches, which is before the deployment is live: until
 * then another server may be the project's, whose report is in the row.
 */
function firstServerWrite(rows: AccountRows, projectId: ProjectId): Write {
  const isFirst = and(
    eq(projectServers.projectId, projects.id),
    sql`${projectServers.serverId} = ${servingServer(rows)}`,
  );
  const reported = (column: SQLiteColumn) =>
    rows.first(column, projectServers, isFirst, sql`${projectServers.id}`);
  const changes = {
    servingRelease: sql`${reported(projectServers.servingRelease)}`,
    servingCheckedAt: sql`${reported(projectServers.servingCheckedAt)}`,
    url: sql`${reported(projectServers.url)}`,
    reportedProcesses: sql`${reported(projectServers.reportedProcesses)}`,
    ingressProblem: sql`${reported(projectServers.ingressProblem)}`,
    health: sql`${reported(projectServers.health)}`,
  };
  const hasReported = sql`${reported(projectServers.servingCheckedAt)} is not null`;
  const isOther = or(
    sql`${projects.servingRelease} is not ${reported(projectServers.servingRelease)}`,
    sql`${projects.url} is not ${reported(projectServers.url)}`,
  );
  return rows.update(projects, changes, and(eq(projects.id, projectId), hasReported, isOther));
}

function servingChanges(
  rows: AccountRows,
  { serverId, report }: ProjectState["servings"][number],
): Record<keyof ServingReport, SQL> {
  const { servingCheckedAt: checkedAt } = report;
  const notLater = or(isNull(projects.servingCheckedAt), lte(projects.servingCheckedAt, checkedAt));
  const isAccepted = and(sql`${servingServer(rows)} = ${serverId}`, notLater);
  const accepted = (column: SQLiteColumn, value: unknown) =>
    sql`iif(${isAccepted}, ${value === null ? null : column.mapToDriverValue(value)}, ${column})`;
  return {
    servingRelease: accepted(projects.servingRelease, report.servingRelease),
    servingCheckedAt: accepted(projects.servingCheckedAt, checkedAt),
    url: accepted(projects.url, report.url),
    reportedProcesses: accepted(projects.reportedProcesses, report.reportedProcesses),
    ingressProblem: accepted(projects.ingressProblem, report.ingressProblem),
    health: accepted(projects.health, report.health),
  };
}
