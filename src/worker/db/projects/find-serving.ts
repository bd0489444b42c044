import { and, desc, eq, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { confirmedAt } from "#worker/db/projects/find-served-project.ts";
import { deployments, projects } from "#worker/db/schema.ts";
import { currentRevision } from "#worker/db/variables/variable-reading.ts";

export type ServingReading = {
  /** The newest deployment that put the served release live. */
  readonly deploymentId: DeploymentId | null;
  readonly commitSha: string | null;
  /** The release that the live deployment put live. */
  readonly liveRelease: number | null;
  /** When its server last reported all of this unchanged, in Unix milliseconds; null: not since it was recorded. */
  readonly confirmedAt: number | null;
  /** Whether the live deployment runs with the current variables; null: nothing is live. */
  readonly variablesApplied: boolean | null;
};

/** What a project's server serves, and what it should serve. */
export async function findServing(rows: AccountRows, projectId: ProjectId): Promise<ServingReading> {
  const isServed = and(
    eq(deployments.projectId, projectId),
    eq(deployments.release, projects.servingRelease),
  );
  const isLive = and(eq(deployments.projectId, projectId), sql`${deployments.status} = 'live'`);
  const newest = desc(deployments.version);
  const live = <Value>(field: SQLiteColumn) => rows.first<Value>(field, deployments, isLive, newest);
  const [serving] = await rows.select(
    {
      deploymentId: rows.first<DeploymentId>(deployments.id, deployments, isServed, newest),
      commitSha: rows.first<string>(deployments.commitSha, deployments, isServed, newest),
      liveRelease: live<number>(deployments.release),
      confirmedAt: confirmedAt(rows),
      liveId: live<DeploymentId>(deployments.id),
      liveRevision: live<number>(deployments.variablesRevision),
      revision: currentRevision(rows),
    },
    projects,
    { where: eq(projects.id, projectId) },
  );
  if (serving === undefined)
    return {
      deploymentId: null,
      commitSha: null,
      liveRelease: null,
      confirmedAt: null,
      variablesApplied: null,
    };
  const { liveId, liveRevision, revision, ...rest } = serving;
  return { ...rest, variablesApplied: liveId === null ? null : (liveRevision ?? 0) === revision };
}
