import { and, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { DeployKeySummary } from "#contract/endpoints/projects/repository-access.ts";
import { repositoryKey } from "#contract/forge.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import type { ProjectRecord } from "#worker/db/projects/find-project.ts";
import { projectServerId } from "#worker/db/projects/project-servers.ts";
import { projectServers } from "#worker/db/project-tables.ts";
import { projects } from "#worker/db/schema.ts";

/** As `hasReadRepository`, of a project that was read. */
export function isRepositoryRead({
  repositoryKey: key,
  readRepository,
}: Pick<ProjectRecord, "repositoryKey" | "readRepository">): boolean {
  return readRepository === key;
}

/** Notes that a project's server has read a repository. Changes nothing if D1 has that, or if the project has another one. */
export function repositoryReadWrite(rows: AccountRows, id: ProjectId, repository: string): Write {
  const key = repositoryKey(repository);
  const isNew = sql`${projects.readRepository} is not ${key}`;
  return rows.update(projects, { readRepository: key }, and(eq(projects.id, id), isRepositoryOf(key), isNew));
}

/** Whether the projects in `projects` have the repository with this key now. */
export function isRepositoryOf(key: string): SQL {
  return sql`${projects.repositoryKey} = ${key}`;
}

/** `made`: public deploy keys of projects. `all`: every key that the server has; null: not known. */
type ServerKeys = {
  readonly made: readonly { readonly projectId: ProjectId; readonly key: DeployKeySummary }[];
  readonly all: readonly string[] | null;
};

type KeyColumn = { readonly deployKey: SQLiteColumn };

/**
 * Records the public deploy keys that a server has made for its projects. Skips projects that are on another server.
 * Removes keys that the server no longer has, because it was installed again.
 */
export async function setDeployKeys(
  rows: AccountRows,
  serverId: ServerId,
  { made, all }: ServerKeys,
): Promise<void> {
  const isHere = eq(projects.serverId, serverId);
  const given = sql`given.value -> 'key'`;
  // A hello repeats the keys, and writes cost more than reads.
  const isNew = ({ deployKey }: KeyColumn) => sql`${deployKey} is not ${given}`;
  const isGiven = sql`${projects.id} = given.value ->> 'projectId'`;
  const isGone = ({ deployKey }: KeyColumn) =>
    sql`${deployKey} ->> 'public_key' not in (select value from json_each(${JSON.stringify(all)}))`;
  const values = made.map((one) => ({ ...one, id: projectServerId(one.projectId, serverId) }));
  const onServer = eq(projectServers.serverId, serverId);
  await rows.runTogether([
    // This runs first, because a key that was made after the list is not in the list.
    ...(all === null ? [] : [rows.update(projects, { deployKey: null }, and(isHere, isGone(projects)))]),
    ...rows.updateEach(projects, made, { deployKey: given }, and(isGiven, isHere, isNew(projects))),
    ...(all === null
      ? []
      : [rows.update(projectServers, { deployKey: null }, and(onServer, isGone(projectServers)))]),
    ...rows.updateEach(
      projectServers,
      values,
      { deployKey: given },
      and(sql`${projectServers.id} = given.value ->> 'id'`, isNew(projectServers)),
    ),
  ]);
}
