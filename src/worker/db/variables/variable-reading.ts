import { desc, eq, isNotNull, and, type SQL, sql } from "drizzle-orm";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deployments, projects, servers } from "#worker/db/schema.ts";
import { variableRevisions, variables } from "#worker/db/variable-tables.ts";

const columns = {
  name: variables.name,
  revision: variables.revision,
  changedAt: variables.changedAt,
  changedBy: variables.changedBy,
  secret: variables.secret,
  build: variables.build,
  value: variables.value,
  sealed: variables.sealed,
};

/** A variable's row. `value` is null for a secret, `sealed` for a plain variable. */
export type VariableReading = Pick<typeof variables.$inferSelect, keyof typeof columns>;

/** The current variables of a project, sorted by name. */
export async function findCurrentVariables(rows: AccountRows, id: ProjectId): Promise<VariableReading[]> {
  return await rows.select(...currentVariablesOf(id));
}

/** The same, for a select. */
export function currentVariablesOf(id: ProjectId) {
  const where = and(eq(variables.projectId, id), sql`${variables.until} is null`);
  return [columns, variables, { where, orderBy: [sql`${variables.name}`] }] as const;
}

/**
 * The current revision of the project in `projects`; 0: none. Deployments count too: after the database was restored to
 * an earlier day, the lanes write back those of later revisions. Their numbers must not be used again, because an agent
 * refuses a secret that is older than the one that it has opened.
 */
export function currentRevision(rows: AccountRows): SQL<number> {
  const ofProject = eq(variableRevisions.projectId, projects.id);
  const { revision } = variableRevisions;
  const used = and(eq(deployments.projectId, projects.id), isNotNull(deployments.variablesRevision));
  const newest = rows.first<number>(revision, variableRevisions, ofProject, desc(revision));
  const newestUsed = rows.first<number>(
    deployments.variablesRevision,
    deployments,
    used,
    desc(deployments.variablesRevision),
  );
  return sql<number>`max(coalesce(${newest}, 0), coalesce(${newestUsed}, 0))`;
}

/** The seal key of the server of the project in `projects`, as JSON; null: its agent has none. */
export function sealKeyOfServer(rows: AccountRows): SQL<string | null> {
  return rows.first<string>(servers.sealKey, servers, eq(servers.id, projects.serverId), sql`${servers.id}`);
}
