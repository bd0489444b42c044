import type {
  DeploymentBuild,
  DeploymentRun,
  DeploymentStage,
  DeploymentStatus,
  Hold,
} from "#contract/endpoints/deployments/schemas.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import { runStages } from "#contract/stages.ts";
import { canaryDeadline } from "#domain/lane/canary.ts";
import { isIn, type LaneDeployment, type LaneHold, type Run, type State } from "#domain/lane/lane.ts";
import { resolverOf } from "#domain/lane/pins.ts";
import { awaitsPermit, hasSeveral, isRunIn, isUnended, type RunIn, startOf } from "#domain/lane/runs.ts";
import { timestamp, timestampOrNull } from "#worker/views/timestamp.ts";
import type { DeploymentRecord } from "#worker/db/deployments/deployment-records.ts";

/** A deployment's record for D1, without the revision, which the lane's store counts. */
export type UnrevisedRecord = Omit<DeploymentRecord, "revision">;

/** The record that is written to D1 for a deployment. */
export function recordOf(deployment: LaneDeployment, projectId: ProjectId): UnrevisedRecord {
  const { state } = deployment;
  // What the first server serves.
  const wasLive = isIn(deployment, "live", "superseded") ? deployment.state.served[0] : undefined;
  return {
    id: deployment.id,
    projectId,
    serverId: deployment.serverId,
    version: deployment.version,
    kind: deployment.kind,
    rollbackOf: deployment.rollbackOf,
    branch: deployment.branch,
    commitSha: deployment.commitSha,
    requestedCommit: deployment.requestedCommit,
    commitMessage: deployment.commitMessage,
    actor: deployment.actor,
    createdAt: deployment.createdAt,
    trigger: deployment.trigger,
    status: statusOf(state),
    stage: stageOf(deployment),
    waitsForServer: state.name === "active" && leastAdvanced(state)?.state.name === "offered",
    startedAt: "startedAt" in state ? state.startedAt : startOf(deployment),
    finishedAt: "finishedAt" in state ? state.finishedAt : null,
    deadlineAt: deadlineOf(state),
    failure: state.name === "failed" ? state.failure : null,
    evidence: wasLive?.evidence ?? null,
    release: wasLive?.release ?? null,
    stages: deployment.stages.length === 0 ? null : deployment.stages,
    releaseKept: isKept(deployment),
    // A rollback with the variables of a deployment that had none has the revision 0.
    variablesRevision: deployment.variables?.revision || null,
    clearCache: deployment.clearCache,
    pushedSha: deployment.pushedSha,
    hold: holdOf(deployment),
    approvedBy: deployment.approvedBy,
    emergency: deployment.emergency,
    changes: deployment.changes,
    runs: runsOf(deployment),
    build: buildOf(deployment),
  };
}

/** What each of several servers did; null: there is one, or the lane no longer knows. */
function runsOf(deployment: LaneDeployment): DeploymentRun[] | null {
  const { state } = deployment;
  if (state.name === "active") return hasSeveral(state) ? state.runs.map(runView) : null;
  if (!("runs" in state) || state.runs === undefined) return null;
  const behind = state.name === "live" ? (state.behind ?? []) : [];
  return [...state.runs, ...behind.map(({ run }) => run)].map(runView);
}

/** The build that its servers take; null: each builds for itself. */
function buildOf({ state, build }: LaneDeployment): DeploymentBuild | null {
  if (build !== undefined) {
    const { sha256, bytes } = build.artifact;
    return { server_id: build.builtBy, sha256, bytes };
  }
  const runs = "runs" in state ? (state.runs ?? []) : [];
  const builder = runs.find(({ builds }) => builds !== undefined);
  return builder === undefined ? null : { server_id: builder.serverId, sha256: null, bytes: null };
}

function purposeOf({ builds, catchesUp, goesBackTo }: Run): DeploymentRun["purpose"] {
  if (builds === "only") return "build";
  if (catchesUp === true) return "catch_up";
  return goesBackTo === null ? "deploy" : "revert";
}

function runView(run: Run): DeploymentRun {
  const { state, serverId } = run;
  return {
    server_id: serverId,
    purpose: purposeOf(run),
    status: runStatus(run),
    stage: isRunIn(run, "running") ? (run.state.ending === null ? run.state.stage : "canceling") : null,
    failure: isRunIn(run, "broken") ? run.state.failure : null,
    release: isRunIn(run, "switched") ? run.state.release : null,
    evidence: isRunIn(run, "switched") ? run.state.evidence : null,
    started_at: timestampOrNull("startedAt" in state ? state.startedAt : null),
    finished_at: timestampOrNull(run.endedAt ?? null),
  };
}

function runStatus(run: Run): DeploymentRun["status"] {
  switch (run.state.name) {
    case "waiting":
    case "offered":
    case "switched":
    case "stopped":
    case "skipped":
    case "built":
      return run.state.name;
    case "running":
      return awaitsPermit(run) ? "ready" : "running";
    case "broken":
      return "failed";
  }
}

/** Whether the servers that were given its release still have it. */
function isKept(deployment: LaneDeployment): boolean {
  if (!isIn(deployment, "live", "superseded")) return false;
  const { served } = deployment.state;
  return served.length > 0 && served.every(({ releaseKept }) => releaseKept);
}

/** The newest of the records whose deployments have ended. */
export function lastEnded(records: readonly DeploymentRecord[]): DeploymentRecord | null {
  const ended = records.filter(({ status }) => status !== "building");
  return ended.toSorted((one, other) => one.version - other.version).at(-1) ?? null;
}

/** What it waits for at the head of the queue, or after the first of its servers have switched; null: nothing. */
function holdOf(deployment: LaneDeployment): Hold | null {
  if (isIn(deployment, "queued")) {
    const { hold } = deployment.state;
    return hold === null ? null : holdView(hold, resolverOf(deployment));
  }
  const { state } = deployment;
  if (state.name !== "active" || state.verdict !== null) return null;
  const deadline = canaryDeadline(deployment);
  if (deadline !== null) return { type: "approval", until: timestamp(deadline) };
  const { pauseUntil } = state;
  // Without a pause, the next batch has begun.
  const isPause = pauseUntil !== null && state.plan.fleet?.rollout.pause_seconds !== 0;
  return isPause ? { type: "batch", until: timestamp(pauseUntil) } : null;
}

function holdView(hold: LaneHold, serverId: ServerId): Hold {
  const differs = hold.differs.length === 0 ? {} : { differs: hold.differs };
  switch (hold.type) {
    case "freeze":
      return { type: "freeze", id: hold.id, until: timestamp(hold.until), ...differs };
    case "commit":
      return { type: "commit", id: serverId };
    case "approval":
      return { type: "approval", ...differs };
  }
}

function statusOf(state: State): DeploymentStatus {
  switch (state.name) {
    case "queued":
    case "active":
      return "building";
    case "live":
    case "superseded":
    case "failed":
    case "canceled":
      return state.name;
  }
}

function stageOf(deployment: LaneDeployment): DeploymentStage | null {
  const { state } = deployment;
  switch (state.name) {
    case "queued":
      return "queued";
    case "active": {
      const run = leastAdvanced(state);
      if (run !== null && isRunIn(run, "running"))
        return run.state.ending === null ? run.state.stage : "canceling";
      // Servers that have switched are about to go back.
      if (state.verdict === null || startOf(deployment) === null) return "queued";
      return state.verdict.type === "cancel" ? "canceling" : "activate";
    }
    case "live":
    case "superseded":
    case "failed":
    case "canceled":
      return null;
  }
}

type ActiveState = Extract<State, { name: "active" }>;

/**
 * The least advanced of the runs that have begun; if none has, the first that has not ended. null: all have ended.
 * Servers that others wait for are in the runs of the record.
 */
function leastAdvanced({ runs }: ActiveState): Run | null {
  const rank = ({ state }: RunIn<"running">) => runStages.indexOf(state.stage);
  const working = runs.filter((run) => isRunIn(run, "running"));
  const [least] = working.toSorted((one, other) => rank(one) - rank(other));
  return least ?? runs.find(isUnended) ?? null;
}

/** When the lane ends it at the latest if nothing happens, in Unix milliseconds; null: not known, or it has ended. */
function deadlineOf(state: State): number | null {
  if (state.name === "queued") return state.deadlineAt;
  if (state.name !== "active") return null;
  const times = state.runs.flatMap((run) =>
    isRunIn(run, "offered", "running") ? [run.state.deadlineAt] : [],
  );
  return times.length === 0 ? null : Math.max(...times);
}
