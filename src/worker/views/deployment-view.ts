import type {
  Deployment,
  DeploymentRow,
  LiveEvidence,
  WaitingOn,
  RollbackTarget,
} from "#contract/endpoints/deployments/schemas.ts";
import { maskUrlSecret } from "#contract/git-names.ts";
import type { DeploymentReading } from "#worker/db/deployments/deployment-reading.ts";
import type { DeploymentRecord } from "#worker/db/deployments/deployment-records.ts";
import { timestamp, timestampOrNull } from "#worker/views/timestamp.ts";
import type { ServerId } from "#contract/ids.ts";
import type { Lane } from "#domain/lane/lane.ts";
import type { KnownTarget } from "#domain/lane/rollback-target.ts";
import { keptRelease } from "#domain/lane/run-order.ts";

/** Git's default length. */
const ABBREVIATED = 7;

/** The abbreviated commit hash; null until the agent has resolved the branch. */
export function abbreviatedCommit(commitSha: string | null): string | null {
  return commitSha?.slice(0, ABBREVIATED) ?? null;
}

/** A row of a project's deployments. @param now Unix milliseconds, for the duration of a running deployment */
export function deploymentRow(record: DeploymentRecord, now: number): DeploymentRow {
  return {
    id: record.id,
    status: record.status,
    version: record.version,
    branch: record.branch,
    commit: abbreviatedCommit(record.commitSha),
    duration: durationSeconds(record, now),
    created_at: timestamp(record.createdAt),
  };
}

/** A deployment with all details. @param now as for deploymentRow */
export function deploymentView(reading: DeploymentReading, now: number): Deployment {
  return {
    ...deploymentRow(reading, now),
    project_id: reading.projectId,
    server_id: reading.serverId,
    kind: reading.kind,
    rollback_of: reading.rollbackOf,
    stage: reading.stage,
    deadline_at: timestampOrNull(reading.deadlineAt),
    waiting_on: waitingOn(reading),
    trigger: reading.trigger,
    actor: reading.actor,
    commit_sha: reading.commitSha,
    commit_message: reading.commitMessage,
    started_at: timestampOrNull(reading.startedAt),
    finished_at: timestampOrNull(reading.finishedAt),
    failure: reading.failure,
    evidence: evidenceView(reading.evidence),
    stages: reading.stages ?? [],
    release_kept: reading.releaseKept,
    variables_revision: reading.variablesRevision,
    clear_cache: reading.clearCache,
  };
}

/** Masks the query of the health check's URL: agents of earlier versions report its values. */
function evidenceView(evidence: LiveEvidence | null): LiveEvidence | null {
  if (evidence === null || evidence.health_check === null) return evidence;
  const { url, ...rest } = evidence.health_check;
  return { ...evidence, health_check: { url: maskUrlSecret(url), ...rest } };
}

/** From the start of the run to its end, or until now; 0 before the start. */
function durationSeconds({ startedAt, finishedAt }: DeploymentRecord, now: number): number {
  if (startedAt === null) return 0;
  return Math.max(0, Math.round((finishedAt ?? now) - startedAt)) / 1000;
}

function waitingOn({
  stage,
  waitsForServer,
  serverId,
  firstInLine,
  ahead,
}: DeploymentReading): WaitingOn | null {
  if (stage !== "queued") return null;
  if (waitsForServer) return { type: "server", id: serverId };
  // Next in the queue, and about to be offered to its server.
  if (firstInLine === null || ahead === null || ahead === 0) return null;
  return { type: "deployment", id: firstInLine, position: ahead };
}

/** A rollback target in the API. @param serverId the server on which the rollback would run */
export function rollbackTargetView(
  lane: Lane,
  { deployment, isDefault }: KnownTarget,
  serverId: ServerId,
): RollbackTarget {
  const { id, version, codeVersion, branch, commitSha, commitMessage, state } = deployment;
  return {
    deployment_id: id,
    version,
    branch,
    commit: abbreviatedCommit(commitSha),
    commit_message: commitMessage,
    live_at: timestamp(state.finishedAt),
    instant: keptRelease(lane, serverId, codeVersion) !== null,
    default: isDefault,
  };
}
