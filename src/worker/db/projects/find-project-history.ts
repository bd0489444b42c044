import { and, desc, eq, sql } from "drizzle-orm";

import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deploymentColumns, type DeploymentRecord } from "#worker/db/deployments/deployment-records.ts";
import { deployments, projects } from "#worker/db/schema.ts";
import { isOneOf } from "#worker/db/statements.ts";

type ProjectHistory = {
  /** 0: the project has no deployments. */
  readonly highestVersion: number;
  /** The newest deployments that are or were live, in the order of their versions. */
  readonly onceLive: readonly DeploymentRecord[];
  /** The versions of the deployments that these rolled back to, if D1 has them. */
  readonly versions: ReadonlyMap<DeploymentId, number>;
};

/**
 * Reads a project's history. One statement for a project without deployments, otherwise three.
 * @returns null if D1 does not have the project
 */
export async function findProjectHistory(
  rows: AccountRows,
  projectId: ProjectId,
  limit: number,
): Promise<ProjectHistory | null> {
  const ofProject = eq(deployments.projectId, projectId);
  const highest = rows.first<number>(deployments.version, deployments, ofProject, desc(deployments.version));
  const [project] = await rows.select({ highest }, projects, { where: eq(projects.id, projectId) });
  if (project === undefined) return null;
  if (project.highest === null) return { highestVersion: 0, onceLive: [], versions: new Map() };
  const wasLive = sql`${deployments.release} is not null and ${deployments.status} in ('live', 'superseded')`;
  const newestFirst = await rows.select(deploymentColumns, deployments, {
    where: and(ofProject, wasLive),
    orderBy: [desc(deployments.version)],
    limit,
  });
  const sources = newestFirst.flatMap(({ rollbackOf }) => rollbackOf ?? []);
  const found = await rows.select({ id: deployments.id, version: deployments.version }, deployments, {
    where: and(ofProject, isOneOf(deployments.id, sources)),
  });
  return {
    highestVersion: project.highest,
    onceLive: newestFirst.toReversed(),
    versions: new Map(found.map(({ id, version }) => [id, version])),
  };
}
