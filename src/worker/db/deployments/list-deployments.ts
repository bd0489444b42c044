import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";

import { DeploymentStatus } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows, FieldsOf, Prepared } from "#worker/db/account-rows.ts";
import { isOfProject } from "#worker/db/projects/find-project.ts";
import { hasRunOn } from "#worker/db/projects/project-servers.ts";
import { projectServers } from "#worker/db/project-tables.ts";
import { deployments, isEnded, projects } from "#worker/db/schema.ts";
import {
  afterOf,
  type Fields,
  newestFirst,
  newestPage,
  type Position,
  type RowOf,
} from "#worker/db/reads.ts";

/** The deployments of the subquery, for its conditions. */
export const candidates = alias(deployments, "candidates");

export type DeploymentColumns = typeof deployments | typeof candidates;

type Wanted = {
  readonly statuses?: readonly DeploymentStatus[] | undefined;
  /** A condition on the branch or the server; undefined: neither. */
  readonly place: SQL | undefined;
  /** Further conditions. Deployments are read, newest first, until one meets them. */
  readonly others?: SQL | undefined;
  readonly below?: SQL | undefined;
};

/**
 * The id of a project's newest wanted deployment; null: there is none. SQLite finds ended deployments by an index of their
 * status, branch or server, and the few that are building or live by separate indexes.
 */
export function newestDeployment(
  rows: AccountRows,
  project: SQL,
  { statuses, place, others, below = sql`'~'` }: Wanted,
): SQL<DeploymentId | null> {
  // Only the indexes of branches and servers have ended deployments of all statuses in the order of their ids.
  const all = place === undefined ? DeploymentStatus.options : (["ended", "live", "building"] as const);
  const found = [...new Set(statuses ?? all)].map((status) => {
    const isIn = status === "ended" ? isEnded(candidates) : stateOf(status);
    const where = and(eq(candidates.projectId, project), isIn, place, others, lt(candidates.id, below));
    return rows.firstNamed(candidates.id, candidates, where, sql`${candidates.id} desc`);
  });
  if (found.length === 1) return sql`${found[0]}`;
  // `max` of several values is null if one is.
  const known = found.map((id) => sql`coalesce(${id}, '')`);
  return sql`nullif(max(${sql.join(known, sql`, `)}), '')`;
}

export const isUnendedStatus = (status: DeploymentStatus) => status === "live" || status === "building";

function stateOf(status: DeploymentStatus): SQL | undefined {
  return and(isUnendedStatus(status) ? undefined : isEnded(candidates), hasStatus(candidates, [status]));
}

// The statuses are in the statement's text: with parameters, SQLite would not use the partial indexes.
export function hasStatus({ status }: DeploymentColumns, statuses: readonly DeploymentStatus[]): SQL {
  const names = [...new Set(statuses)].map((name) => sql.raw(`'${name}'`));
  return names.length === 1 ? sql`${status} = ${names[0]}` : sql`${status} in (${sql.join(names, sql`, `)})`;
}

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

/** The fields of a list of deployments, and its reads without a filter, which are prepared. */
export type DeploymentList<Of extends Fields> = {
  readonly fields: Of | FieldsOf<Of>;
  readonly ofAccount: Prepared<Of>;
  /** Its placeholder `projectId` names the project. */
  readonly ofProject: Prepared<Of>;
};

export function deploymentList<const Of extends Fields>(fields: Of | FieldsOf<Of>): DeploymentList<Of> {
  return {
    fields,
    ofAccount: (rows) => [fields, deployments, newestPage(deployments.id, isOfProject(rows, deployments))],
    ofProject: (rows) => {
      const isOf = eq(deployments.projectId, sql.placeholder("projectId"));
      return [
        fields,
        deployments,
        newestPage(deployments.version, and(isOf, isOfProject(rows, deployments))),
      ];
    },
  };
}

const hasNoFilter = (filter: DeploymentFilter) => Object.values(filter).every((part) => part === undefined);

/**
 * The account's deployments, newest first: of all projects, or of one project with a filter for which `isById` is true.
 * Reads few rows more than it returns, however many deployments the filter excludes, and a row of each project that has
 * a match.
 */
export async function listDeployments<const Of extends Fields>(
  rows: AccountRows,
  { fields, ofAccount }: DeploymentList<Of>,
  filter: DeploymentFilter,
  projectId: ProjectId | null,
  position: Position<DeploymentId>,
): Promise<RowOf<Of>[]> {
  const { statuses, commit } = filter;
  const isOfSome = rows.projectIds !== null && commit === undefined && statuses === undefined;
  if (!isById(filter) && !isOfSome)
    return hasNoFilter(filter)
      ? await rows.selectPrepared(ofAccount, { after: afterOf(position) }, position.limit)
      : await listBy(rows, fields, deployments.id, position, filter, undefined);
  const ofProject = projectId === null ? undefined : eq(projects.id, projectId);
  const streams = rows.column(projects.id, projects, ofProject);
  const next = (project: SQL, below: SQL) => newestAt(rows, project, filter, below);
  return await rows.selectMerged(fields, deployments, { key: deployments.id, streams, next }, position);
}

/** One project's deployments with a filter for which `isById` is false, newest first. */
export async function listProjectDeployments<const Of extends Fields>(
  rows: AccountRows,
  { fields, ofProject }: DeploymentList<Of>,
  filter: DeploymentFilter,
  projectId: ProjectId,
  position: Position<number>,
): Promise<RowOf<Of>[]> {
  if (!rows.sees(projectId)) return [];
  if (hasNoFilter(filter))
    return await rows.selectPrepared(ofProject, { projectId, after: afterOf(position) }, position.limit);
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
  // A commit has few deployments, so all of them are found by index and then sorted.
  const found = [isEnded(deployments), isUnended].map((state) =>
    rows.column(deployments.id, deployments, and(state, beginsWith(commit))),
  );
  return await rows.selectFound(fields, deployments, sql.join(found, sql` union all `), selection);
}

// As in the partial index.
const isUnended = sql`${deployments.status} in ('live', 'building')`;

/**
 * The newest deployment of a project that meets a filter. Deployments of a server are found by the index of the first server;
 * the runs of the others are read only of projects that have the server as one of several now.
 */
function newestAt(rows: AccountRows, project: SQL, filter: DeploymentFilter, below: SQL): SQL {
  const { statuses, branch, serverId } = filter;
  const newest = (onServer: SQL | undefined) => {
    const ofBranch = branch === undefined ? undefined : eq(candidates.branch, branch);
    return newestDeployment(rows, project, { statuses, place: and(ofBranch, onServer), below });
  };
  if (serverId === undefined) return newest(undefined);
  const isMember = and(eq(projectServers.projectId, project), eq(projectServers.serverId, serverId));
  const member = rows.firstNamed(projectServers.id, projectServers, isMember, sql`1`);
  const onOther = sql`case when ${member} is not null then ${newest(hasRunOn(candidates, serverId))} end`;
  const onFirst = newest(eq(candidates.serverId, serverId));
  return sql`nullif(max(coalesce(${onFirst}, ''), coalesce(${onOther}, '')), '')`;
}

function isAt(columns: DeploymentColumns, { branch, serverId }: DeploymentFilter): SQL | undefined {
  return and(
    branch === undefined ? undefined : eq(columns.branch, branch),
    serverId === undefined ? undefined : hasRunOn(columns, serverId),
  );
}

// A range of hashes instead of LIKE, because D1 limits its pattern to 50 bytes. `g` sorts after every hexadecimal digit.
function beginsWith(commit: string): SQL | undefined {
  const first = commit.toLowerCase();
  return and(gte(deployments.commitSha, first), lt(deployments.commitSha, `${first}g`));
}
