import { and, desc, eq, gte, lt, sql } from "drizzle-orm";

import type { DeploymentStatus } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows, Selection } from "#worker/db/account-rows.ts";
import {
  deploymentColumns,
  deploymentFields,
  type DeploymentReading,
} from "#worker/db/deployments/deployment-reading.ts";
import type { DeploymentRecord } from "#worker/db/deployments/deployment-records.ts";
import { deployments } from "#worker/db/schema.ts";

export type DeploymentFilter = {
  readonly statuses?: readonly DeploymentStatus[] | undefined;
  readonly branch?: string | undefined;
  /** A whole commit hash or its beginning. */
  readonly commit?: string | undefined;
  readonly serverId?: ServerId | undefined;
};

/** All deployments of the account, newest first, from the one after `after` on. */
export async function listDeployments(
  rows: AccountRows,
  filter: DeploymentFilter,
  page: { readonly after: DeploymentId | null; readonly limit: number },
): Promise<DeploymentReading[]> {
  return rows.select(deploymentFields(rows), deployments, {
    where: and(conditionOf(filter), page.after === null ? undefined : lt(deployments.id, page.after)),
    orderBy: [desc(deployments.id)],
    limit: page.limit,
  });
}

/** A page of one project's deployments: its versions give their order. */
export type VersionPage = {
  readonly projectId: ProjectId;
  readonly after: number | null;
  readonly limit: number;
};

/** The deployments of a project, newest first, from the version after `after` on. */
export async function listProjectDeployments(
  rows: AccountRows,
  filter: DeploymentFilter,
  page: VersionPage,
): Promise<DeploymentReading[]> {
  return rows.select(deploymentFields(rows), deployments, selectionOf(filter, page));
}

/** The same without what a deployment waits for, which costs a look at the others. */
export async function listProjectDeploymentRecords(
  rows: AccountRows,
  filter: DeploymentFilter,
  page: VersionPage,
): Promise<DeploymentRecord[]> {
  return rows.select(deploymentColumns, deployments, selectionOf(filter, page));
}

function selectionOf(filter: DeploymentFilter, { projectId, after, limit }: VersionPage): Selection {
  return {
    where: and(
      eq(deployments.projectId, projectId),
      conditionOf(filter),
      after === null ? undefined : lt(deployments.version, after),
    ),
    orderBy: [desc(deployments.version)],
    limit,
  };
}

function conditionOf({ statuses, branch, commit, serverId }: DeploymentFilter) {
  return and(
    statuses === undefined ? undefined : hasStatus(statuses),
    branch === undefined ? undefined : eq(deployments.branch, branch),
    commit === undefined ? undefined : beginsWith(commit.toLowerCase()),
    serverId === undefined ? undefined : eq(deployments.serverId, serverId),
  );
}

// In the text, not in parameters, and with what the partial indexes say: only so does SQLite use these, of which the few
// that have not ended are found however many have.
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

// A span of hashes and not LIKE, whose pattern D1 limits to 50 bytes: `g` comes after every hexadecimal digit.
function beginsWith(commit: string) {
  return and(gte(deployments.commitSha, commit), lt(deployments.commitSha, `${commit}g`));
}
