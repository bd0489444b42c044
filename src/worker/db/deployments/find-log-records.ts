import { sql } from "drizzle-orm";

import { DEFAULT_LOG_RETENTION_DAYS } from "#contract/endpoints/accounts/schemas.ts";
import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import type { LogRecord } from "#domain/log-fate.ts";
import { accounts, deployments, projects } from "#worker/db/schema.ts";
import { isOneOf } from "#worker/db/json-lists.ts";
import { readBoth, select } from "#worker/db/reads.ts";
import { from } from "#worker/db/statements.ts";

type Owner = { readonly projectId: ProjectId; readonly deploymentId: DeploymentId };

/**
 * The state of the deployments that logs belong to, of all accounts, for the decision whether to delete the logs.
 * One D1 round trip to the primary: a row that a replica does not have yet must not count as deleted.
 *
 * @returns in the order of `owners`
 */
export async function findLogRecords(database: D1Database, owners: readonly Owner[]): Promise<LogRecord[]> {
  const deploymentIds = owners.map(({ deploymentId }) => deploymentId);
  const [ended, there] = await readBoth(
    database,
    select(
      {
        id: deployments.id,
        status: deployments.status,
        finishedAt: deployments.finishedAt,
        retentionDays: sql<number | null>`${accounts.logRetentionDays}`,
      },
      // A left join, so that a deployment without an account is found too.
      sql`from ${deployments} left join ${accounts} on ${accounts.id} = ${deployments.accountId} where ${isOneOf(deployments.id, deploymentIds)}`,
    ),
    select(
      { id: projects.id },
      from(
        projects,
        isOneOf(
          projects.id,
          owners.map(({ projectId }) => projectId),
        ),
      ),
    ),
  );
  const found = new Map(ended.map((row) => [row.id, row]));
  const projectIds = new Set(there.map(({ id }) => id));
  return owners.map(({ projectId, deploymentId }) => {
    const row = found.get(deploymentId);
    if (row === undefined) return { kind: projectIds.has(projectId) ? "no_deployment" : "no_project" };
    if (row.status === "building" || row.finishedAt === null) return { kind: "running" };
    const retentionDays = row.retentionDays ?? DEFAULT_LOG_RETENTION_DAYS;
    return { kind: "ended", finishedAt: row.finishedAt, retentionDays };
  });
}
