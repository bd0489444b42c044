import { and, eq, sql, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { DeploymentId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { isOfProject } from "#worker/db/projects/is-of-project.ts";
import { deployments, projects } from "#worker/db/schema.ts";
import type { DeploymentRecord } from "#worker/db/deployments/deployment-records.ts";
import { type DeploymentReading, deploymentFields } from "#worker/db/deployments/deployment-reading.ts";

/** The account's deployment with this id; null if there is none. */
export async function findDeployment(rows: AccountRows, id: DeploymentId): Promise<DeploymentReading | null> {
  const [deployment] = await rows.select(deploymentFields, deployments, {
    where: and(eq(deployments.id, id), isOfProject(rows, deployments)),
    limit: 1,
  });
  return deployment ?? null;
}

const statusColumns = {
  id: deployments.id,
  projectId: deployments.projectId,
  status: deployments.status,
  failure: deployments.failure,
};

/** What a request about a deployment's log or its end needs. */
export type DeploymentStatusRecord = Pick<DeploymentRecord, keyof typeof statusColumns>;

/** The status of the account's deployment with this id; null if there is none. */
export async function findDeploymentStatus(
  rows: AccountRows,
  id: DeploymentId,
): Promise<DeploymentStatusRecord | null> {
  const [found] = await rows.select(statusColumns, deployments, {
    where: and(eq(deployments.id, id), isOfProject(rows, deployments)),
    limit: 1,
  });
  return found ?? null;
}

/** As `findDeployment`, with what its events say about its project. */
export async function findDeploymentOfProject(
  rows: AccountRows,
  id: DeploymentId,
): Promise<(DeploymentReading & { readonly project: DeployedProject }) | null> {
  const ofProject = <Value>(field: SQLiteColumn): SQL<Value> =>
    sql`${rows.first<Value>(field, projects, eq(projects.id, deployments.projectId), sql`1`)}`;
  const fields = {
    ...deploymentFields(rows),
    name: ofProject<string>(projects.name),
    repository: ofProject<string>(projects.repository),
    url: ofProject<string | null>(projects.url),
  };
  const [found] = await rows.select(fields, deployments, {
    where: and(eq(deployments.id, id), isOfProject(rows, deployments)),
    limit: 1,
  });
  if (found === undefined) return null;
  const { name, repository, url, ...deployment } = found;
  return { ...deployment, project: { name, repository, url } };
}

type DeployedProject = { readonly name: string; readonly repository: string; readonly url: string | null };
