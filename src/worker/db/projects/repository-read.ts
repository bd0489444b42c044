import { and, eq, type SQL, sql } from "drizzle-orm";

import { repositoryKey } from "#contract/forge.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import type { ProjectRecord } from "#worker/db/projects/find-project.ts";
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
