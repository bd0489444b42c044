import { type removedProjects } from "#worker/db/project-tables.ts";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable, SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";

import type { AccountId, ProjectId } from "#contract/ids.ts";
import { type auditSeals, webhooks } from "#worker/db/event-tables.ts";
import {
  type connections,
  type identities,
  type connectGrants,
  type invitations,
  type members,
  type passkeys,
  type recoveryCodes,
  type signInCodes,
  trustRules,
  type usedSecrets,
} from "#worker/db/identity-tables.ts";
import { hooks, pushes } from "#worker/db/push-tables.ts";
import { type idempotencyKeys, projects, type servers, tokens } from "#worker/db/schema.ts";

/** The most projects, servers and tokens of an account, each. Few enough to list all in one response. */
export const MAX_PER_ACCOUNT = 1_000;

type TableOfProjects = SQLiteTable & {
  readonly id: SQLiteColumn;
  readonly accountId: SQLiteColumn;
  readonly projectId: SQLiteColumn;
};

/** A table, or an alias of one, whose rows each belong to one account. */
export type OwnedTable =
  | typeof auditSeals
  | typeof connections
  | typeof connectGrants
  | typeof hooks
  | typeof identities
  | typeof idempotencyKeys
  | typeof invitations
  | typeof members
  | typeof passkeys
  | typeof projects
  | typeof recoveryCodes
  | typeof removedProjects
  | typeof servers
  | typeof tokens
  | typeof trustRules
  | typeof usedSecrets
  | typeof webhooks
  | TableOfProjects;

/** A table whose rows are only counted and deleted through AccountRows. */
export type CountedTable = OwnedTable | typeof signInCodes;

/** A new row without its account, which AccountRows adds. */
export type NewRow<Table extends OwnedTable> = Omit<Table["$inferInsert"], "accountId">;

/** New values of columns, by the names of their fields. */
export type Changes<Table extends OwnedTable> = SQLiteUpdateSetSource<Table> & {
  readonly id?: never;
  readonly accountId?: never;
};

/**
 * The condition for the rows that a caller with a limit to projects can see: these projects, the rows that belong to
 * them, the tokens, trust rules and webhooks that are limited to some of them, and the hooks of the repositories that their servers
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
  if (table === tokens || table === trustRules || table === webhooks) {
    const limits = table.projectIds;
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

/**
 * The condition that the server of a project in `projects` has read the project's repository. Before that, naming a
 * repository gives no right to know of its pushes: anybody who may change a project can name any repository.
 */
export function hasReadRepository(): SQL {
  return sql`(${projects.readRepository} is not null and ${projects.readRepository} = ${projects.repositoryKey})`;
}
