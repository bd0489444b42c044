import { and, eq, or, type SQL, sql } from "drizzle-orm";

import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { lastDeployAt } from "#worker/db/projects/find-project.ts";
import { servingConnectedAt } from "#worker/db/projects/served-project.ts";
import { hasRunOn, isOneOfServers, memberHealths } from "#worker/db/projects/project-servers.ts";
import type { Position } from "#worker/db/reads.ts";
import { deployments, projects } from "#worker/db/schema.ts";
import { isOneOf } from "#worker/db/statements.ts";

const summaryColumns = {
  id: projects.id,
  name: projects.name,
  framework: sql<string | null>`${projects.settings} ->> 'framework'`,
  detected: projects.detected,
  domain: projects.domain,
  serverId: projects.serverId,
  lastDeployAt: projects.lastDeployAt,
  health: projects.health,
};

/** The fields of a project in a list. */
export type ProjectSummary = Pick<
  typeof projects.$inferSelect,
  Exclude<keyof typeof summaryColumns, "framework">
> & { readonly framework: string | null };

/**
 * `connectedAt`: since when its server is connected, in Unix milliseconds; null: it is not. `members`: the health of each of
 * several servers, for `healthsOf`.
 */
export type ListedProject = ProjectSummary & {
  readonly connectedAt: number | null;
  readonly members: unknown;
};

/** The account's projects, newest first. */
export async function listProjects(
  rows: AccountRows,
  position: Position<ProjectId>,
): Promise<ListedProject[]> {
  return await rows.page(summaryFields, projects, projects.id, position);
}

function summaryFields(rows: AccountRows) {
  return {
    ...summaryColumns,
    lastDeployAt: lastDeployAt(rows),
    connectedAt: servingConnectedAt(rows),
    members: memberHealths(rows),
  };
}

/** Whether the project in `projects` is on a server: its settings name it, or one of its deployments is live or building there. */
export function isPlacedOn(rows: AccountRows, serverId: ServerId): SQL | undefined {
  const isThere = (status: "live" | "building") => {
    // The status is in the statement's text: with a parameter, SQLite would not use the partial index on it.
    const isIn = sql`${deployments.status} = ${sql.raw(`'${status}'`)}`;
    const where = and(eq(deployments.projectId, projects.id), hasRunOn(deployments, serverId), isIn);
    return sql`${rows.first(deployments.id, deployments, where, sql`${deployments.version}`)} is not null`;
  };
  const isMember = isOneOfServers(rows, serverId);
  return or(eq(projects.serverId, serverId), isMember, isThere("live"), isThere("building"));
}

/** Which of the projects are on a server. */
export async function findPlacedProjects(
  rows: AccountRows,
  serverId: ServerId,
  projectIds: readonly ProjectId[],
): Promise<ProjectId[]> {
  const found = await rows.select({ id: projects.id }, projects, {
    where: and(isOneOf(projects.id, projectIds), isPlacedOn(rows, serverId)),
  });
  return found.map(({ id }) => id);
}

/** Whether the caller can access all of these projects, each listed once. */
export function hasProjects(rows: AccountRows, ids: readonly ProjectId[]): SQL {
  return sql`${rows.count(projects, isOneOf(projects.id, ids))} = ${ids.length}`;
}

/** The projects that the caller cannot access, of the given ones. */
export async function unknownProjects(rows: AccountRows, ids: readonly ProjectId[]): Promise<ProjectId[]> {
  const known = await rows.select({ id: projects.id }, projects, { where: isOneOf(projects.id, ids) });
  const knownIds = new Set(known.map(({ id }) => id));
  return ids.filter((id) => !knownIds.has(id));
}

/** The names of the projects of a repository. */
export async function findProjectNames(rows: AccountRows, repositoryKey: string): Promise<string[]> {
  const found = await rows.select({ name: projects.name }, projects, {
    where: eq(projects.repositoryKey, repositoryKey),
    orderBy: [sql`${projects.name}`],
  });
  return found.map(({ name }) => name);
}
