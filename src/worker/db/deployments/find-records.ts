import { and, eq, sql } from "drizzle-orm";

import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deployments, projects } from "#worker/db/schema.ts";
import { type DeploymentRecord, deploymentColumns } from "#worker/db/deployments/deployment-records.ts";

/** More unended rows than a project can have. If there are more, the next repair reads the rest. */
const MAX_UNENDED = 300;

type ProjectRecords = {
  /** When the newest deployment was created, in Unix milliseconds, according to the project's row. */
  readonly lastDeployAt: number | null;
  readonly deployments: readonly DeploymentRecord[];
};

/**
 * Reads a project's deployments with the given ids, and those that are `building` or `live`. Three statements, which
 * read only these rows. @returns null if D1 does not have the project
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
  const ofProject = eq(deployments.projectId, projectId);
  // The same conditions as in the two partial indexes, so that SQLite uses them.
  const building = and(ofProject, sql`${deployments.status} = 'building'`);
  const live = and(ofProject, sql`${deployments.status} = 'live'`);
  const named = sql`select value from json_each(${JSON.stringify(ids)})`;
  const found = await rows.selectFound(deploymentColumns, deployments, named, { where: ofProject });
  for (const where of [building, live])
    found.push(...(await rows.select(deploymentColumns, deployments, { where, limit: MAX_UNENDED })));
  const byId = new Map(found.map((record) => [record.id, record]));
  return { lastDeployAt: project.lastDeployAt, deployments: [...byId.values()] };
}
