import type { DeploymentId, RunId } from "#contract/ids.ts";
import { type LaneDeployment, MAX_REMEMBERED } from "#domain/lane/lane.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import type { DeploymentRecord } from "#worker/db/deployments/deployment-records.ts";
import { findProjectHistory } from "#worker/db/projects/find-project-history.ts";
import { DatabaseSession } from "#worker/db/database-session.ts";
import type { LaneOwner } from "#worker/objects/project-lane/lane-store.ts";
import { fromStored, storedDeployment } from "#worker/objects/project-lane/stored-deployment.ts";

/** A project's history from D1, in the form that a lane stores. */
export type LaneHistory = {
  readonly highestVersion: number;
  readonly onceLive: readonly LaneDeployment[];
  /** Their revisions in D1, by id. */
  readonly revisions: ReadonlyMap<string, number>;
};

/** Reads the history from D1's primary. @returns null if D1 does not have the project. @throws if D1 does not answer */
export async function readHistory(
  env: Env,
  { accountId, projectId }: LaneOwner,
  newRunId: () => RunId,
): Promise<LaneHistory | null> {
  const { database } = new DatabaseSession(env.DB, "first-primary");
  const rows = new AccountRows(database, accountId);
  const found = await findProjectHistory(rows, projectId, 2 * MAX_REMEMBERED + 1);
  if (found === null) return null;
  const onceLive: LaneDeployment[] = [];
  for (const record of found.onceLive) {
    const source = sourceOf(record, onceLive, found.versions);
    const deployment = deploymentOf(record, source, newRunId());
    if (deployment !== null) onceLive.push(deployment);
  }
  const revisions = new Map(found.onceLive.map(({ id, revision }) => [id, revision]));
  return { highestVersion: found.highestVersion, onceLive, revisions };
}

/**
 * The version whose code a deployment has. A `config` deployment has the code of an earlier deployment: with the same
 * release, or, if the code was built again, with the same commit.
 * @param earlier the deployments before it, by version
 * @returns null if the record that it depends on no longer exists
 */
function sourceOf(
  { kind, version, rollbackOf, release, commitSha }: DeploymentRecord,
  earlier: readonly LaneDeployment[],
  versions: ReadonlyMap<DeploymentId, number>,
): number | null {
  switch (kind) {
    case "deploy":
      return version;
    case "rollback": {
      const target = earlier.find(({ id }) => id === rollbackOf);
      return target?.codeVersion ?? (rollbackOf === null ? null : (versions.get(rollbackOf) ?? null));
    }
    case "config": {
      const same = earlier.findLast(
        ({ commitSha: sha, state }) =>
          sha === commitSha || ("served" in state && state.served.some((there) => there.release === release)),
      );
      return same?.codeVersion ?? null;
    }
  }
}

/** What each of several servers served; null: there was one. A server that no longer has it says so in its next report. */
function servedOf({ runs }: DeploymentRecord) {
  if (runs === null) return null;
  const switched = runs.filter(({ purpose, status }) => purpose !== "revert" && status === "switched");
  return switched.map(({ server_id: serverId, release, evidence }) => ({
    ...{ serverId, release, releaseKept: true, evidence },
  }));
}

/**
 * @param source the version that was built from the same code; null: its record no longer exists
 * @returns null if no lane can have written the row: D1 was changed by hand
 */
function deploymentOf(row: DeploymentRecord, source: number | null, runId: RunId): LaneDeployment | null {
  const { release, createdAt } = row;
  const served = servedOf(row);
  const startedAt = row.startedAt ?? createdAt;
  const parsed = storedDeployment.safeParse({
    id: row.id,
    runId,
    serverId: row.serverId,
    version: row.version,
    // A rollback to a kept release shares the folder of its target.
    codeVersion: source ?? release,
    kind: row.kind,
    rollbackOf: row.rollbackOf,
    reuseRelease: null,
    branch: row.branch,
    requestedCommit: row.requestedCommit,
    inBranch: false,
    clearCache: row.clearCache,
    restart: [],
    onlyScale: false,
    repositoryInstances: {},
    changes: row.changes,
    runWith: null,
    variables: row.variablesRevision === null ? null : { revision: row.variablesRevision, deployed: false },
    commitSha: row.commitSha,
    commitMessage: row.commitMessage,
    stages: row.stages ?? [],
    trigger: row.trigger,
    pushedSha: row.pushedSha,
    actor: row.actor,
    approval: "none",
    approvedBy: row.approvedBy,
    emergency: row.emergency,
    pin: { name: "none" },
    createdAt,
    deleted: false,
    state: {
      name: row.status,
      startedAt,
      finishedAt: row.finishedAt ?? startedAt,
      release,
      releaseKept: row.releaseKept,
      evidence: row.evidence,
      ...(served === null ? {} : { served }),
      plan: null,
    },
  } satisfies { [Field in keyof LaneDeployment]: unknown });
  return parsed.success ? fromStored(parsed.data) : null;
}
