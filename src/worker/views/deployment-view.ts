import type {
  Deployment,
  DeploymentRow,
  LiveEvidence,
  WaitingOn,
} from "#contract/endpoints/deployments/schemas.ts";
import { maskUrlSecret } from "#contract/git-names.ts";
import type { DeploymentReading } from "#worker/db/deployments/deployment-reading.ts";
import type { DeploymentRecord } from "#worker/db/deployments/deployment-records.ts";
import { timestamp, timestampOrNull } from "#worker/views/timestamp.ts";

/** As git abbreviates by default. */
const ABBREVIATED = 7;

/** The beginning of a commit's hash, as deployments show it; null until the agent has resolved the branch. */
export function abbreviatedCommit(commitSha: string | null): string | null {
  return commitSha?.slice(0, ABBREVIATED) ?? null;
}

/** A row of a project's list. @param now Unix milliseconds, where the duration of a running one ends so far */
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

/** A deployment with everything that is known of it. @param now as for deploymentRow */
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
    release_kept: reading.releaseKept,
  };
}

/** What an agent of an earlier version reports has the values of the address's query. */
function evidenceView(evidence: LiveEvidence | null): LiveEvidence | null {
  if (evidence === null || evidence.health_check === null) return evidence;
  const { url, ...rest } = evidence.health_check;
  return { ...evidence, health_check: { url: maskUrlSecret(url), ...rest } };
}

/** From the start of the run to its end, or to now; 0 while it has not started. */
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
  // First in line, and about to be offered to its server.
  if (firstInLine === null || ahead === null || ahead === 0) return null;
  return { type: "deployment", id: firstInLine, position: ahead };
}
