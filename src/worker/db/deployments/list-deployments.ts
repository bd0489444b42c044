import { and, eq, lt, sql, gte } from "drizzle-orm";

import type { DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows, Selection } from "#worker/db/account-rows.ts";
import { deploymentColumns, type DeploymentRecord } from "#worker/db/deployments/deployment-records.ts";
import { deployments } from "#worker/db/schema.ts";
import type { DeploymentStatus } from "#contract/endpoints/deployments/schemas.ts";
import { newestFirst, type Position } from "#worker/db/newest-first.ts";
import { type DeploymentReading, deploymentFields } from "#worker/db/deployments/deployment-reading.ts";

export type DeploymentFilter = {
  readonly statuses?: readonly DeploymentStatus[] | undefined;
  readonly branch?: string | undefined;
  /** A commit hash or its first characters. */
  readonly commit?: string | undefined;
  readonly serverId?: ServerId | undefined;
};

/** The account's deployments, newest first. */
export async function listDeployments(
  rows: AccountRows,
  filter: DeploymentFilter,
  position: Position<DeploymentId>,
): Promise<DeploymentReading[]> {
  const selection = newestFirst(deployments.id, position, conditionOf(filter));
  return rows.select(deploymentFields, deployments, selection);
}

/** One project's deployments, newest first. */
export async function listProjectDeployments(
  rows: AccountRows,
  filter: DeploymentFilter,
  projectId: ProjectId,
  position: Position<number>,
): Promise<DeploymentReading[]> {
  return rows.select(deploymentFields, deployments, selectionOf(filter, projectId, position));
}

/** The same without what a deployment waits for, which takes another read per row. */
export async function listProjectDeploymentRecords(
  rows: AccountRows,
  filter: DeploymentFilter,
  projectId: ProjectId,
  position: Position<number>,
): Promise<DeploymentRecord[]> {
  return rows.select(deploymentColumns, deployments, selectionOf(filter, projectId, position));
}

function selectionOf(filter: DeploymentFilter, projectId: ProjectId, position: Position<number>): Selection {
  const where = and(eq(deployments.projectId, projectId), conditionOf(filter));
  return newestFirst(deployments.version, position, where);
}

function conditionOf({ statuses, branch, commit, serverId }: DeploymentFilter) {
  return and(
    statuses === undefined ? undefined : hasStatus(statuses),
    branch === undefined ? undefined : eq(deployments.branch, branch),
    commit === undefined ? undefined : beginsWith(commit.toLowerCase()),
    serverId === undefined ? undefined : eq(deployments.serverId, serverId),
  );
}

// The statuses stand in the statement, not in parameters, together with the condition of the partial indexes. Only then
// does SQLite use these indexes, which find the few unended deployments no matter how many have ended.
function hasStatus(statuses: readonly DeploymentStatus[]) {
  const names = [...new Set(statuses)].map((status) => sql.raw(`'${status}'`));
  const isUnended = statuses.every((status) => status === "live" || status === "building");
  return and(
    isUnended ? sql`${deployments.status} in ('live', 'building')` : undefined,
    names.length === 1
      ? sql`${deployments.status} = ${names[0]}`
      : sql`${deployments.status} in (${sql.join(names, sql`, `)})`,
  );
}

// A range of hashes instead of LIKE, because D1 limits its pattern to 50 bytes. `g` sorts after every hexadecimal digit.
function beginsWith(commit: string) {
  return and(gte(deployments.commitSha, commit), lt(deployments.commitSha, `${commit}g`));
}
