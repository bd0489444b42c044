import { and, eq, type SQL, sql } from "drizzle-orm";

import type { AccountId, ProjectId } from "#contract/ids.ts";
import { webhooks } from "#worker/db/event-tables.ts";
import type { CountedTable } from "#worker/db/owned-tables.ts";
import { hasReadRepository } from "#worker/db/projects/has-read-repository.ts";
import { hooks, pushes } from "#worker/db/push-tables.ts";
import { projects, tokens } from "#worker/db/schema.ts";

/**
 * The condition for the rows that a caller with a limit to projects can see: these projects, the rows that belong to
 * them, the tokens and webhooks that are limited to some of them, and the hooks of the repositories that their servers
 * have read. A push of a repository that a project's server has not read is only the account's.
 * @param caller `projectIds` null: not limited
 */
export function inSight(
  table: CountedTable,
  caller: { readonly accountId: AccountId; readonly projectIds: readonly ProjectId[] | null },
): SQL | undefined {
  if (caller.projectIds === null) return undefined;
  // One parameter for all projects: D1 allows at most 100 parameters.
  const projectIds = sql`(select value from json_each(${JSON.stringify(caller.projectIds)}))`;
  if (table === tokens || table === webhooks) {
    const limits = table === tokens ? tokens.projectIds : webhooks.projectIds;
    return sql`${limits} is not null and not exists (select 1 from json_each(${limits}) where value not in ${projectIds})`;
  }
  if (table === hooks) {
    const visible = and(eq(projects.accountId, caller.accountId), sql`${projects.id} in ${projectIds}`);
    return sql`${hooks.repositoryKey} in (select ${projects.readRepository} from ${projects} where ${and(visible, hasReadRepository())})`;
  }
  const project = "projectId" in table ? table.projectId : table === projects ? projects.id : null;
  if (project === null) return undefined;
  const isOfProject = sql`${project} in ${projectIds}`;
  return table === pushes ? sql`${isOfProject} and ${pushes.reason} is not 'repository_unread'` : isOfProject;
}
