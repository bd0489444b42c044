import type { Actor, StartDeploymentInput } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId, RunId, ServerId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { QueueMode } from "#contract/endpoints/projects/schemas.ts";
import { queueDeadline } from "#domain/lane/deadlines.ts";
import type { DecisionWith, Effect } from "#domain/lane/decision.ts";
import {
  activeOf,
  type Lane,
  type LaneDeployment,
  liveOf,
  MAX_QUEUED,
  type Plan,
  queuedOf,
} from "#domain/lane/lane.ts";
import { currentVariables, type ProjectVariables } from "#domain/lane/variables.ts";
import { advance, cancel } from "#domain/lane/transitions.ts";

/** The part of the request that starts and rollbacks have in common. */
export type Asked = {
  id: DeploymentId;
  runId: RunId;
  serverId: ServerId;
  actor: Actor;
  plan: Plan;
  queue: QueueMode;
  variables: ProjectVariables;
  /** Start only if this deployment is still live. */
  ifLive: DeploymentId | null;
};

export type StartRequest = Asked & { input: StartDeploymentInput; defaultBranch: string };

type Joining = Pick<
  LaneDeployment,
  | "kind"
  | "codeVersion"
  | "rollbackOf"
  | "reuseRelease"
  | "branch"
  | "requestedCommit"
  | "inBranch"
  | "clearCache"
  | "variables"
  | "commitSha"
  | "commitMessage"
>;

export type Joined = DecisionWith<{ id: DeploymentId; version: number }>;

/** Queues a deployment of a branch or a commit. */
export function decideStart(
  lane: Lane,
  request: StartRequest,
  now: number,
): Result<Joined, "queue_full" | "live_changed" | "secrets_not_sealed"> {
  const changed = refuseIfLiveChanged(lane, request);
  if (changed !== null) return changed;
  const variables = currentVariables(request.variables, lane.deployments);
  if (!variables.ok) return variables;
  return join(lane, request, now, {
    kind: "deploy",
    codeVersion: lane.nextVersion,
    rollbackOf: null,
    reuseRelease: null,
    branch: request.input.branch ?? request.defaultBranch,
    requestedCommit: request.input.commit ?? null,
    inBranch: request.input.commit !== undefined && request.input.branch !== undefined,
    clearCache: request.input.clear_cache ?? false,
    variables: variables.value,
    commitSha: null,
    commitMessage: null,
  });
}

/** The precondition of `If-Live`. */
export function refuseIfLiveChanged(lane: Lane, asked: Asked) {
  const live = liveOf(lane);
  if (asked.ifLive === null || live?.id === asked.ifLive) return null;
  const now = live === null ? "no deployment is live" : `version ${live.version} (${live.id}) is live`;
  return refuse("live_changed", `${asked.ifLive} is no longer live: ${now}.`);
}

/** Adds a deployment to the queue, and offers it to the agent immediately if no other deployment is active. */
export function join(lane: Lane, asked: Asked, now: number, joining: Joining): Result<Joined, "queue_full"> {
  const { lane: cleared, effects } =
    asked.queue === "latest" ? cancelQueued(lane, asked, now) : { lane, effects: [] };
  if (queuedOf(cleared).length >= MAX_QUEUED) {
    return refuse("queue_full", `${MAX_QUEUED} deployments of this project are already waiting.`);
  }
  const version = lane.nextVersion;
  const { id, runId, serverId, actor, plan } = asked;
  const state = { name: "queued", deadlineAt: queueDeadline(cleared, plan, now), plan } as const;
  const deployment: LaneDeployment = {
    id,
    runId,
    serverId,
    version,
    actor,
    ...joining,
    stages: [],
    createdAt: now,
    deleted: false,
    state,
  };
  const active = activeOf(cleared);
  const wait = active === null ? "" : `, waiting for version ${active.version}`;
  const message = `Queued as version ${version} by ${actor.name}: ${describe(joining)}${wait}`;
  const next = { ...cleared, nextVersion: version + 1, deployments: [...cleared.deployments, deployment] };
  return succeed({
    lane: advance(next, now),
    effects: [...effects, { type: "log", deploymentId: id, stage: "queued", message }],
    value: { id, version },
  });
}

function cancelQueued(lane: Lane, asked: Asked, now: number): { lane: Lane; effects: Effect[] } {
  let next = lane;
  const effects: Effect[] = [];
  for (const waiting of queuedOf(lane)) {
    const canceled = cancel(next, waiting, `a newer deployment of ${asked.actor.name} (queue: latest)`, now);
    next = canceled.lane;
    effects.push(...canceled.effects);
  }
  return { lane: next, effects };
}

function describe(joining: Joining): string {
  if (joining.kind === "rollback") return `rollback to the code of version ${joining.codeVersion}`;
  return joining.requestedCommit === null
    ? `branch ${joining.branch}`
    : `commit ${joining.requestedCommit} (branch ${joining.branch})`;
}
