import { and, eq, lt, sql } from "drizzle-orm";

import type { DeploymentId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deploymentColumns, type DeploymentRecord } from "#worker/db/deployments/deployment-records.ts";
import { deployments } from "#worker/db/schema.ts";
import { aliasOf } from "#worker/db/statements.ts";

/** The columns of a DeploymentRowReading. */
export const deploymentRowColumns = {
  id: deployments.id,
  status: deployments.status,
  version: deployments.version,
  branch: deployments.branch,
  commitSha: deployments.commitSha,
  requestedCommit: deployments.requestedCommit,
  startedAt: deployments.startedAt,
  finishedAt: deployments.finishedAt,
  createdAt: deployments.createdAt,
};

/** What a row in a project's list of deployments shows. */
export type DeploymentRowReading = Pick<DeploymentRecord, keyof typeof deploymentRowColumns>;

/** A deployment. While it is queued: how many of its project are ahead of it, and which of them is first. */
export type DeploymentReading = DeploymentRecord & {
  readonly ahead: number | null;
  readonly firstInLine: DeploymentId | null;
};

const others = aliasOf(deployments, "others");

/** The fields of a DeploymentReading. */
export function deploymentFields(rows: AccountRows) {
  // The status is in the statement's text: with a parameter, SQLite would not use the partial index on it.
  const inLineBefore = and(
    eq(others.projectId, deployments.projectId),
    sql`${others.status} = 'building'`,
    lt(others.version, deployments.version),
  );
  const first = rows.first<DeploymentId>(others.id, others, inLineBefore, sql`${others.version}`);
  return {
    ...deploymentColumns,
    ahead: sql<
      number | null
    >`case when ${deployments.stage} = 'queued' then ${rows.count(others, inLineBefore)} end`,
    firstInLine: sql<DeploymentId | null>`case when ${deployments.stage} = 'queued' then ${first} end`,
  };
}
