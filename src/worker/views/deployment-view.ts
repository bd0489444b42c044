import { abbreviateCommit } from "#contract/abbreviate-commit.ts";
import type {
  Deployment,
  DeploymentRow,
  WaitingOn,
  RollbackTarget,
} from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentReading, DeploymentRowReading } from "#worker/db/deployments/find-deployment.ts";
import type { DeploymentRecord } from "#worker/db/deployments/deployment-records.ts";
import { timestamp, timestampOrNull } from "#worker/views/timestamp.ts";
import type { Lane } from "#domain/lane/lane.ts";
import { type PreviewRequest, previewRollback } from "#domain/lane/preview-rollback.ts";
import type { KnownTarget } from "#domain/lane/rollback-target.ts";
import { keptRelease } from "#domain/lane/run-order.ts";

/** The abbreviated commit hash; null if the commit is not known. */
export function abbreviatedCommit(commitSha: string | null): string | null {
  return commitSha === null ? null : abbreviateCommit(commitSha);
}

/** The fields of a deployment that are shown. */
export type ShownRecord = Omit<DeploymentRecord, "revision">;

/** A row of a project's deployments. @param now Unix milliseconds, for the duration of a running deployment */
export function deploymentRow(record: DeploymentRowReading, now: number): DeploymentRow {
  return {
    id: record.id,
    status: record.status,
    version: record.version,
    branch: record.branch,
    // A deployment that ended before its commit was resolved shows the commit of its request.
    commit: abbreviatedCommit(
      record.commitSha ?? (record.status === "building" ? null : record.requestedCommit),
    ),
    duration: durationSeconds(record, now),
    created_at: timestamp(record.createdAt),
  };
}

/** The fields of a deployment that its events contain too. @param now as for deploymentRow */
export function sharedFields(record: ShownRecord, now: number) {
  return {
    ...deploymentRow(record, now),
    server_id: record.serverId,
    kind: record.kind,
    rollback_of: record.rollbackOf,
    stage: record.stage,
    trigger: record.trigger,
    actor: record.actor,
    commit_sha: record.commitSha,
    commit_message: record.commitMessage,
    started_at: timestampOrNull(record.startedAt),
    finished_at: timestampOrNull(record.finishedAt),
    approved_by: record.approvedBy,
    emergency: record.emergency,
    changes: record.changes,
  };
}

/** A deployment with all details. @param now as for deploymentRow */
export function deploymentView(reading: DeploymentReading, now: number): Deployment {
  return {
    ...sharedFields(reading, now),
    project_id: reading.projectId,
    deadline_at: timestampOrNull(reading.deadlineAt),
    waiting_on: waitingOn(reading),
    failure: reading.failure,
    evidence: reading.evidence,
    stages: reading.stages ?? [],
    release_kept: reading.releaseKept,
    variables_revision: reading.variablesRevision,
    clear_cache: reading.clearCache,
    runs: reading.runs ?? [],
    build: reading.build,
  };
}

/** From the start of the run to its end, or until now; 0 before the start. */
function durationSeconds({ startedAt, finishedAt }: DeploymentRowReading, now: number): number {
  if (startedAt === null) return 0;
  return Math.max(0, Math.round((finishedAt ?? now) - startedAt)) / 1000;
}

function waitingOn({
  stage,
  hold,
  waitsForServer,
  serverId,
  runs,
  firstInLine,
  ahead,
}: DeploymentReading): WaitingOn | null {
  if (hold !== null) return hold;
  if (stage !== "queued") return null;
  const offered = runs?.find((run) => run.status === "offered");
  if (waitsForServer) return { type: "server", id: offered?.server_id ?? serverId };
  // Next in the queue, and about to be offered to its server.
  if (firstInLine === null || ahead === null || ahead === 0) return null;
  return { type: "deployment", id: firstInLine, position: ahead };
}

/** A rollback target in the API. @param now Unix milliseconds */
export function rollbackTargetView(
  lane: Lane,
  { deployment, isDefault }: KnownTarget,
  asked: PreviewRequest,
  now: number,
): RollbackTarget {
  const { id, version, codeVersion, branch, commitSha, commitMessage, state } = deployment;
  const { runsWith, differs, heldBy, servers } = previewRollback(lane, deployment, asked, now);
  const ready = servers.map((server) => ({
    id: server,
    release_kept: keptRelease(lane, server, codeVersion) !== null,
  }));
  return {
    deployment_id: id,
    version,
    branch,
    commit: abbreviatedCommit(commitSha),
    commit_message: commitMessage,
    live_at: timestamp(state.finishedAt),
    instant: ready.every((server) => server.release_kept),
    servers: ready.length === 1 ? [] : ready,
    default: isDefault,
    runs_with: { settings: runsWith.settings, variables: runsWith.variables === "live" ? "live" : "current" },
    differs: [...differs],
    held_by: heldBy,
  };
}
