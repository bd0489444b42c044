import { and, desc, eq, isNotNull, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import * as z from "zod/mini";

import { DeploymentRun } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";
import { storedAs } from "#contract/stored.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { balanceFields, balanceOf, type BalanceReading } from "#worker/db/projects/balance-fields.ts";
import { type LocatedProject, placedFields } from "#worker/db/projects/find-project.ts";
import { type MemberReading, memberFields, membersOf } from "#worker/db/projects/project-servers.ts";
import { confirmedAt, servingConnectedAt, servingServer } from "#worker/db/projects/served-project.ts";
import { deployments, projects } from "#worker/db/schema.ts";
import { currentRevision } from "#worker/db/variables/variable-records.ts";

const storedRuns = storedAs(z.array(DeploymentRun));

/** What a project's server serves, and what it should serve. */
export type ServingReading = {
  /** The server of the report: of several, the first of the live deployment. */
  readonly serverId: ServerId;
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

/** What a project's servers serve. */
export type ProjectServing = {
  /** Null: its server has not reported yet what it serves. */
  readonly serving: ServingReading | null;
  /** Its servers, if it has several. */
  readonly members: readonly MemberReading[];
  /** What went live where; null: nothing is live. */
  readonly live: LiveRelease | null;
  /** What the running deployment has done on each server; null: none is running. */
  readonly running: RunningRelease | null;
  /** Its servers and balancers, if its entry is `balancer`. */
  readonly balance: readonly BalanceReading[];
};

/** Of a project that was not deployed. */
export const notServed: ProjectServing = {
  serving: null,
  members: [],
  live: null,
  running: null,
  balance: [],
};

/** The live deployment: its version, and the release that it put live on its servers. */
export type LiveRelease = {
  readonly version: number;
  readonly release: number | null;
  readonly runs: readonly DeploymentRun[];
};

/** The running deployment: its version, and what it has done on several servers. */
export type RunningRelease = Pick<LiveRelease, "version" | "runs">;

/** A project with what its server serves; null if the account has no such project. One D1 round trip. */
export async function findProjectWithServing(
  rows: AccountRows,
  id: ProjectId,
): Promise<(ProjectServing & { readonly project: LocatedProject }) | null> {
  const found = await rows.find(fieldsOf, projects, id);
  if (found === null) return null;
  const {
    deploymentId,
    version,
    commitSha,
    liveRelease,
    confirmedAt: at,
    liveId,
    liveRevision,
    balance,
    ...rest
  } = found;
  const {
    revision,
    servingId,
    connectedAt,
    liveVersion,
    liveRuns,
    runningVersion,
    runningRuns,
    members,
    ...project
  } = rest;
  const isConnected = connectedAt !== null;
  const runs = storedRuns.parse(liveRuns ?? []);
  const live = liveVersion === null ? null : { version: liveVersion, release: liveRelease, runs };
  const running =
    runningVersion === null ? null : { version: runningVersion, runs: storedRuns.parse(runningRuns ?? []) };
  const parts = { project, members: membersOf(members), live, running, balance: balanceOf(balance) };
  if (project.servingCheckedAt === null) return { ...parts, serving: null };
  const variablesApplied = liveId === null ? null : (liveRevision ?? 0) === revision;
  const served = { serverId: servingId, deploymentId, version, commitSha, liveRelease, confirmedAt: at };
  return { ...parts, serving: { ...served, isConnected, variablesApplied } };
}

function fieldsOf(rows: AccountRows) {
  const ofProject = eq(deployments.projectId, projects.id);
  const isServed = and(ofProject, eq(deployments.release, projects.servingRelease));
  const isLive = and(ofProject, sql`${deployments.status} = 'live'`);
  // Deployments in the queue have no runs.
  const isRunning = and(ofProject, sql`${deployments.status} = 'building'`, isNotNull(deployments.runs));
  const newest = desc(deployments.version);
  const served = <Value>(field: SQLiteColumn) => rows.first<Value>(field, deployments, isServed, newest);
  const live = <Value>(field: SQLiteColumn) => rows.first<Value>(field, deployments, isLive, newest);
  const running = <Value>(field: SQLiteColumn) => rows.first<Value>(field, deployments, isRunning, newest);
  return {
    ...placedFields(rows),
    deploymentId: served<DeploymentId>(deployments.id),
    version: served<number>(deployments.version),
    commitSha: served<string>(deployments.commitSha),
    liveRelease: live<number>(deployments.release),
    confirmedAt: confirmedAt(rows),
    servingId: servingServer(rows),
    connectedAt: servingConnectedAt(rows),
    liveId: live<DeploymentId>(deployments.id),
    liveRevision: live<number>(deployments.variablesRevision),
    revision: currentRevision(rows),
    liveVersion: live<number>(deployments.version),
    liveRuns: sql<unknown>`json(${live(deployments.runs)})`,
    runningVersion: running<number>(deployments.version),
    runningRuns: sql<unknown>`json(${running(deployments.runs)})`,
    members: memberFields(rows),
    balance: balanceFields(rows),
  };
}
