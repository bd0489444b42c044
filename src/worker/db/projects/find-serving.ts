import { and, desc, eq, sql } from "drizzle-orm";

import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deployments, projects } from "#worker/db/schema.ts";

export type ServingReading = {
  /** The newest deployment that put the served release live. */
  readonly deploymentId: DeploymentId | null;
  readonly commitSha: string | null;
  /** The release that the live deployment put live. */
  readonly liveRelease: number | null;
};

/** What a project's server serves, and what it should serve. */
export async function findServing(rows: AccountRows, projectId: ProjectId): Promise<ServingReading> {
  const isServed = and(
    eq(deployments.projectId, projectId),
    eq(deployments.release, projects.servingRelease),
  );
  const isLive = and(eq(deployments.projectId, projectId), sql`${deployments.status} = 'live'`);
  const newest = desc(deployments.version);
  const [serving] = await rows.select(
    {
      deploymentId: rows.first<DeploymentId>(deployments.id, deployments, isServed, newest),
      commitSha: rows.first<string>(deployments.commitSha, deployments, isServed, newest),
      liveRelease: rows.first<number>(deployments.release, deployments, isLive, newest),
    },
    projects,
    { where: eq(projects.id, projectId) },
  );
  return serving ?? { deploymentId: null, commitSha: null, liveRelease: null };
}
