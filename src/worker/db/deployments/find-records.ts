import { and, eq, getTableColumns, sql } from "drizzle-orm";

import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import type { DeploymentRecord } from "#worker/db/deployments/deployment-records.ts";
import { deployments, projects } from "#worker/db/schema.ts";

/** More rows than this that are still under way no project can have by itself: the rest is for the next look. */
const MAX_UNENDED = 300;

export type ProjectRecords = {
  /** When the project's newest deployment was asked for, in Unix milliseconds, as its own row says. */
  readonly lastDeployAt: number | null;
  readonly deployments: readonly DeploymentRecord[];
};

/**
 * What D1 has of a project: the deployments of the given ids, and whatever it takes for `building` or `live`. Three
 * statements, each of which reads only these rows. null: D1 does not know the project.
 */
export async function findRecords(
  rows: AccountRows,
  projectId: ProjectId,
  ids: readonly DeploymentId[],
): Promise<ProjectRecords | null> {
  const [project] = await rows.select({ lastDeployAt: projects.lastDeployAt }, projects, {
    where: eq(projects.id, projectId),
  });
  if (project === undefined) return null;
  // One parameter, however many: D1 takes no more than 100.
  const named = sql`${deployments.id} in (select value from json_each(${JSON.stringify(ids)}))`;
  const ofProject = eq(deployments.projectId, projectId);
  // As the two partial indexes say it, so that they are used.
  const building = and(ofProject, sql`${deployments.status} = 'building'`);
  const live = and(ofProject, sql`${deployments.status} = 'live'`);
  const found = new Map<DeploymentId, DeploymentRecord>();
  for (const where of [named, building, live])
    for (const record of await rows.select(columns, deployments, { where, limit: MAX_UNENDED + ids.length }))
      if (record.projectId === projectId) found.set(record.id, record);
  return { lastDeployAt: project.lastDeployAt, deployments: [...found.values()] };
}

const { accountId: _accountId, ...columns } = getTableColumns(deployments);
