import { and, eq, lt, sql, type SQL } from "drizzle-orm";
import { alias, type SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { DeploymentId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deploymentColumns, type DeploymentRecord } from "#worker/db/deployments/deployment-records.ts";
import { isOfProject } from "#worker/db/projects/find-project.ts";
import type { Selection } from "#worker/db/reads.ts";
import { deployments, projects } from "#worker/db/schema.ts";

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

const others = alias(deployments, "others");

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

/** The account's deployment with this id; null if there is none. */
export async function findDeployment(rows: AccountRows, id: DeploymentId): Promise<DeploymentReading | null> {
  const [deployment] = await rows.selectPrepared(deploymentWith, { id });
  return deployment ?? null;
}

function deploymentWith(rows: AccountRows) {
  return [deploymentFields(rows), deployments, withId(rows)] as const;
}

function withId(rows: AccountRows): Selection {
  return { where: and(eq(deployments.id, sql.placeholder("id")), isOfProject(rows, deployments)), limit: 1 };
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
  const [found] = await rows.selectPrepared(statusWith, { id });
  return found ?? null;
}

function statusWith(rows: AccountRows) {
  return [statusColumns, deployments, withId(rows)] as const;
}

/** As `findDeployment`, with what its events say about its project. */
export async function findDeploymentOfProject(
  rows: AccountRows,
  id: DeploymentId,
): Promise<(DeploymentReading & { readonly project: DeployedProject }) | null> {
  const [found] = await rows.selectPrepared(deploymentOfProject, { id });
  if (found === undefined) return null;
  const { name, repository, url, ...deployment } = found;
  return { ...deployment, project: { name, repository, url } };
}

function deploymentOfProject(rows: AccountRows) {
  const ofProject = <Value>(field: SQLiteColumn): SQL<Value> =>
    sql`${rows.first<Value>(field, projects, eq(projects.id, deployments.projectId), sql`1`)}`;
  const fields = {
    ...deploymentFields(rows),
    name: ofProject<string>(projects.name),
    repository: ofProject<string>(projects.repository),
    url: ofProject<string | null>(projects.url),
  };
  return [fields, deployments, withId(rows)] as const;
}

type DeployedProject = { readonly name: string; readonly repository: string; readonly url: string | null };
