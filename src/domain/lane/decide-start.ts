import type {
  Actor,
  DeploymentTrigger,
  StartDeploymentInput,
} from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId, MemberId, RunId, ServerId } from "#contract/ids.ts";
import type { ApprovalRule } from "#contract/endpoints/projects/approval-rule.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { QueueMode } from "#contract/endpoints/projects/settings.ts";
import { newerFreezes, type ReadFreezes } from "#domain/freezes/project-freezes.ts";
import { queueDeadline } from "#domain/lane/deadlines.ts";
import type { DecisionWith, Effect } from "#domain/lane/decision.ts";
import {
  activeOf,
  type Lane,
  type LaneDeployment,
  liveOf,
  MAX_QUEUED,
  type Named,
  type Plan,
  queuedOf,
} from "#domain/lane/lane.ts";
import { heldOf, mayPass } from "#domain/lane/holds.ts";
import { firstPin } from "#domain/lane/pins.ts";
import { currentVariables, type ProjectVariables } from "#domain/lane/variables.ts";
import { advance, cancel } from "#domain/lane/transitions.ts";

/** The part of the request that all starts have in common. */
export type NewDeploymentRequest = {
  id: DeploymentId;
  runId: RunId;
  serverId: ServerId;
  actor: Actor;
  /** The member behind the actor, whom approvals compare; null: nobody is known. */
  person: MemberId | null;
  plan: Plan;
  queue: QueueMode;
  variables: ProjectVariables;
  approval: ApprovalRule;
  freezes: ReadFreezes;
  /** Why it passes freezes and approvals; null: it does not. */
  emergency: string | null;
  /** The push that starts it; absent: a request does. */
  push?: StartingPush;
};

/** A push that starts a deployment. `trigger`: what reported it. */
export type StartingPush = {
  trigger: Exclude<DeploymentTrigger, "api">;
  commitSha: string;
};

/** `ifLive`: start only if this deployment is still live. */
export type RequestIfLive = NewDeploymentRequest & { ifLive: DeploymentId | null };

export type StartRequest = RequestIfLive & { input: StartDeploymentInput; defaultBranch: string };

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
  | "restart"
  | "onlyScale"
  | "repositoryInstances"
  | "changes"
  | "runWith"
  | "variables"
  | "commitSha"
  | "commitMessage"
  | "build"
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
  const { artifact } = request.input;
  return join(lane, request, now, {
    kind: "deploy",
    codeVersion: lane.nextVersion,
    rollbackOf: null,
    reuseRelease: null,
    branch: request.input.branch ?? request.defaultBranch,
    requestedCommit: request.input.commit ?? null,
    inBranch: request.input.commit !== undefined && request.input.branch !== undefined,
    clearCache: request.input.clear_cache ?? false,
    restart: [],
    onlyScale: false,
    repositoryInstances: {},
    changes: null,
    runWith: null,
    variables: variables.value,
    // The request names the commit of an uploaded build.
    commitSha: artifact === undefined ? null : (request.input.commit ?? null),
    commitMessage: null,
    ...(artifact === undefined ? {} : { build: { artifact, builtBy: null, isStored: true } }),
  });
}

/** The precondition of `If-Live`. */
export function refuseIfLiveChanged(lane: Lane, asked: RequestIfLive) {
  const live = liveOf(lane);
  if (asked.ifLive === null || live?.id === asked.ifLive) return null;
  const now = live === null ? "no deployment is live" : `v${live.version} (${live.id}) is live`;
  return refuse("live_changed", `${asked.ifLive} is no longer live: ${now}.`);
}

/**
 * Adds a deployment to the queue, and offers it to the agent immediately if no other deployment is active. With the
 * queue mode `latest` it replaces the deployments that wait. A `config` deployment neither replaces others nor is
 * replaced: its changes are not in the code, and a newer deployment may fail before it applies them.
 */
export function join(
  lane: Lane,
  asked: NewDeploymentRequest,
  now: number,
  joining: Joining,
): Result<Joined, "queue_full"> {
  const known = { ...lane, freezes: newerFreezes(lane.freezes, asked.freezes, now) };
  const { lane: cleared, effects } =
    asked.queue === "latest" && joining.kind !== "config"
      ? cancelQueued(known, asked, now)
      : { lane: known, effects: [] };
  const version = lane.nextVersion;
  const { id, runId, serverId, actor, person, plan, approval, emergency } = asked;
  const deadlineAt = heldOf(cleared) === null ? queueDeadline(cleared, plan, now) : null;
  const state = { name: "queued", deadlineAt, hold: null, plan } as const;
  const deployment: Named<"queued"> = {
    id,
    runId,
    serverId,
    version,
    trigger: asked.push?.trigger ?? "api",
    pushedSha: asked.push?.commitSha ?? null,
    actor,
    person,
    ...joining,
    stages: [],
    approval,
    approvedBy: null,
    emergency,
    // What passes an approval goes live with the commit that its run fetches.
    pin: emergency === null ? firstPin(joining, approval) : { name: "none" },
    createdAt: now,
    deleted: false,
    state,
  };
  const active = activeOf(cleared);
  // It passes held deployments, and does not wait.
  const passes = mayPass(cleared, deployment, now);
  if (queuedOf(cleared).length >= MAX_QUEUED && !(passes && active === null)) {
    return refuse("queue_full", `${MAX_QUEUED} deployments of this project are already waiting.`);
  }
  const ahead = active ?? (passes ? null : heldOf(cleared));
  const wait = ahead === null ? "" : `, waiting for v${ahead.version}`;
  const message = `Queued as v${version} by ${actor.name}: ${describe(joining)}${wait}`;
  const started = { type: "event", event: "deployment.started", deployment, plan, actor } as const;
  const log = { type: "log", deploymentId: id, stage: "queued" } as const;
  const declared: Effect[] =
    emergency === null
      ? []
      : [
          { ...log, message: `Emergency, passes freezes and approvals: ${emergency}` },
          { type: "event", event: "deployment.emergency", deployment, plan, actor },
        ];
  const next = { ...cleared, nextVersion: version + 1, deployments: [...cleared.deployments, deployment] };
  const advanced = advance(next, now);
  return succeed({
    lane: advanced.lane,
    effects: [...effects, { ...log, message }, started, ...declared, ...advanced.effects],
    value: { id, version },
  });
}

function cancelQueued(
  lane: Lane,
  asked: NewDeploymentRequest,
  now: number,
): { lane: Lane; effects: Effect[] } {
  let next = lane;
  const effects: Effect[] = [];
  // The last one first, because the others are offered when one before them ends.
  for (const waiting of queuedOf(lane).toReversed()) {
    if (waiting.kind === "config") continue;
    const name = `a newer deployment of ${asked.actor.name} (queue: latest)`;
    const replacedBy = { id: asked.id, version: lane.nextVersion };
    const canceled = cancel(next, waiting, { name, actor: asked.actor, replacedBy }, now);
    next = canceled.lane;
    effects.push(...canceled.effects);
  }
  return { lane: next, effects };
}

function describe(joining: Joining): string {
  const { kind, codeVersion, restart, onlyScale, requestedCommit, branch, build } = joining;
  switch (kind) {
    case "rollback":
      return `rollback to the code of v${codeVersion}`;
    case "config":
      if (restart.length > 0) return `restart of ${restart.join(", ")}`;
      return onlyScale ? "change of scale" : "current variables and settings";
    case "deploy":
      if (build !== undefined) return `uploaded build of commit ${requestedCommit} (branch ${branch})`;
      return requestedCommit === null ? `branch ${branch}` : `commit ${requestedCommit} (branch ${branch})`;
  }
}
