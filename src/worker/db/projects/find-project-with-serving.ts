import { and, desc, eq, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { type LocatedProject, placedFields } from "#worker/db/projects/find-project.ts";
import { confirmedAt, servingConnectedAt } from "#worker/db/projects/find-served-project.ts";
import { deployments, projects } from "#worker/db/schema.ts";
import { currentRevision } from "#worker/db/variables/variable-reading.ts";

/** What a project's server serves, and what it should serve. */
export type ServingReading = {
  /** The newest deployment that put the served release live. */
  readonly deploymentId: DeploymentId | null;
  readonly version: number | null;
  readonly commitSha: string | null;
  /** The release that the live deployment put live. */
  readonly liveRelease: number | null;
  /** When its server last reported all of this unchanged, in Unix milliseconds; null: not since it was recorded. */
  readonly confirmedAt: number | null;
  /** Whether its server is connected. */
  readonly isConnected: boolean;
  /** Whether the live deployment runs with the current variables; null: nothing is live. */
  readonly variablesApplied: boolean | null;
};

type ProjectWithServing = {
  readonly project: LocatedProject;
  /** Null: its server has not reported yet what it serves. */
  readonly serving: ServingReading | null;
};

/** A project with what its server serves; null if the account has no such project. One D1 round trip. */
export async function findProjectWithServing(
  rows: AccountRows,
  id: ProjectId,
): Promise<ProjectWithServing | null> {
  const [found] = await rows.select(fieldsOf, projects, { where: eq(projects.id, id), limit: 1 });
  if (found === undefined) return null;
  const {
    deploymentId,
    version,
    commitSha,
    liveRelease,
    confirmedAt: at,
    liveId,
    liveRevision,
    ...rest
  } = found;
  const { revision, connectedAt, ...project } = rest;
  const isConnected = connectedAt !== null;
  if (project.servingCheckedAt === null) return { project, serving: null };
  const variablesApplied = liveId === null ? null : (liveRevision ?? 0) === revision;
  const served = { deploymentId, version, commitSha, liveRelease, confirmedAt: at };
  return { project, serving: { ...served, isConnected, variablesApplied } };
}

function fieldsOf(rows: AccountRows) {
  const ofProject = eq(deployments.projectId, projects.id);
  const isServed = and(ofProject, eq(deployments.release, projects.servingRelease));
  const isLive = and(ofProject, sql`${deployments.status} = 'live'`);
  const newest = desc(deployments.version);
  const served = <Value>(field: SQLiteColumn) => rows.first<Value>(field, deployments, isServed, newest);
  const live = <Value>(field: SQLiteColumn) => rows.first<Value>(field, deployments, isLive, newest);
  return {
    ...placedFields(rows),
    deploymentId: served<DeploymentId>(deployments.id),
    version: served<number>(deployments.version),
    commitSha: served<string>(deployments.commitSha),
    liveRelease: live<number>(deployments.release),
    confirmedAt: confirmedAt(rows),
    connectedAt: servingConnectedAt(rows),
    liveId: live<DeploymentId>(deployments.id),
    liveRevision: live<number>(deployments.variablesRevision),
    revision: currentRevision(rows),
  };
}
