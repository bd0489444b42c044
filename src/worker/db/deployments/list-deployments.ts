import { and, eq, gte, lt, sql, type SQL } from "drizzle-orm";

import type { DeploymentStatus } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows, FieldsOf } from "#worker/db/account-rows.ts";
import {
  candidates,
  type DeploymentColumns,
  hasStatus,
  isUnendedStatus,
  newestDeployment,
} from "#worker/db/deployments/newest-deployment.ts";
import { newestFirst, type Position } from "#worker/db/newest-first.ts";
import { isOfProject } from "#worker/db/projects/is-of-project.ts";
import { deployments, isEnded, projects } from "#worker/db/schema.ts";
import type { Fields, RowOf } from "#worker/db/reads.ts";

export type DeploymentFilter = {
  readonly statuses?: readonly DeploymentStatus[] | undefined;
  readonly branch?: string | undefined;
  /** A commit hash or its first characters. */
  readonly commit?: string | undefined;
  readonly serverId?: ServerId | undefined;
};

/**
 * Whether the list of a project with this filter is in the order of ids, and not of versions. The two orders differ only
 * for deployments that were started within the same moment.
 */
export function isById({ statuses, branch, commit, serverId }: DeploymentFilter): boolean {
  if (commit !== undefined || (statuses?.every(isUnendedStatus) ?? false)) return false;
  return [statuses, branch, serverId].some((part) => part !== undefined);
}

/**
 * The account's deployments, newest first: those of all projects, or those of one with a filter for which `isById` is true.
 * Reads few rows more than it returns, however many deployments the filter excludes, and a row of each project that has a
 * match.
 */
export async function listDeployments<const Of extends Fields>(
  rows: AccountRows,
  fields: Of | FieldsOf<Of>,
  filter: DeploymentFilter,
  projectId: ProjectId | null,
  position: Position<DeploymentId>,
): Promise<RowOf<Of>[]> {
  const { statuses, commit } = filter;
  const isOfSome = rows.projectIds !== null && commit === undefined && statuses === undefined;
  if (!isById(filter) && !isOfSome)
    return await listBy(rows, fields, deployments.id, position, filter, undefined);
  const ofProject = projectId === null ? undefined : eq(projects.id, projectId);
  const streams = rows.column(projects.id, projects, ofProject);
  const place = isAt(candidates, filter);
  const next = (project: SQL, below: SQL) => newestDeployment(rows, project, { statuses, place, below });
  return await rows.selectMerged(fields, deployments, { key: deployments.id, streams, next }, position);
}

/** One project's deployments with a filter for which `isById` is false, newest first. */
export async function listProjectDeployments<const Of extends Fields>(
  rows: AccountRows,
  fields: Of | FieldsOf<Of>,
  filter: DeploymentFilter,
  projectId: ProjectId,
  position: Position<number>,
): Promise<RowOf<Of>[]> {
  if (!rows.sees(projectId)) return [];
  return await listBy(
    rows,
    fields,
    deployments.version,
    position,
    filter,
    eq(deployments.projectId, projectId),
  );
}

async function listBy<const Of extends Fields>(
  rows: AccountRows,
  fields: Of | FieldsOf<Of>,
  key: typeof deployments.id | typeof deployments.version,
  position: Position<DeploymentId | number>,
  filter: DeploymentFilter,
  ofProject: SQL | undefined,
): Promise<RowOf<Of>[]> {
  const { statuses, commit } = filter;
  const where = and(
    ofProject,
    isOfProject(rows, deployments),
    // SQLite finds the rows of this condition by a partial index.
    statuses?.every(isUnendedStatus) === true ? isUnended : undefined,
    statuses === undefined ? undefined : hasStatus(deployments, statuses),
    isAt(deployments, filter),
  );
  const selection = newestFirst(key, position, where);
  if (commit === undefined) return await rows.select(fields, deployments, selection);
  // Those of one commit are few, so all of them are found by index and then sorted.
  const found = [isEnded(deployments), isUnended].map((state) =>
    rows.column(deployments.id, deployments, and(state, beginsWith(commit))),
  );
  return await rows.selectFound(fields, deployments, sql.join(found, sql` union all `), selection);
}

// As in the partial index.
const isUnended = sql`${deployments.status} in ('live', 'building')`;

function isAt(columns: DeploymentColumns, { branch, serverId }: DeploymentFilter): SQL | undefined {
  return and(
    branch === undefined ? undefined : eq(columns.branch, branch),
    serverId === undefined ? undefined : eq(columns.serverId, serverId),
  );
}

// A range of hashes instead of LIKE, because D1 limits its pattern to 50 bytes. `g` sorts after every hexadecimal digit.
function beginsWith(commit: string): SQL | undefined {
  const first = commit.toLowerCase();
  return and(gte(deployments.commitSha, first), lt(deployments.commitSha, `${first}g`));
}
