import * as z from "zod/mini";

import { Artifact } from "#contract/artifact.ts";
import {
  Actor,
  DeploymentChange,
  DeploymentKind,
  DeploymentTrigger,
  DeploymentFailure,
  LiveEvidence,
  RollbackSettings,
  RollbackVariables,
  StageTime,
} from "#contract/endpoints/deployments/schemas.ts";
import { EventActor } from "#contract/endpoints/events/schemas.ts";
import { CommitSha } from "#contract/git-names.ts";
import { DeploymentId, FreezeId, MemberId, RunId, ServerId } from "#contract/ids.ts";
import { ProcessName } from "#contract/endpoints/processes/schemas.ts";
import { keptShape } from "#contract/endpoints/projects/project-settings.ts";
import { ApprovalRule } from "#contract/endpoints/projects/approval-rule.ts";
import { MaintenanceState } from "#contract/endpoints/traffic/schemas.ts";
import { runStages } from "#contract/stages.ts";
import { type KnownFreezes, noFreezes } from "#domain/freezes/project-freezes.ts";
import { Fleet } from "#domain/lane/fleet.ts";
import { DeploymentVariables } from "#domain/lane/variables.ts";

/** The maximum number of queued deployments of a project. */
export const MAX_QUEUED = 100;

/** How long the lane remembers deletions: as far back as D1 can be restored (Time Travel). */
export const RESTORABLE_MS = 30 * 24 * 60 * 60_000;

/** How many superseded deployments the lane keeps as rollback targets. */
export const MAX_REMEMBERED = 100;

const unixMs = z.number();

/** The project's settings at the start of the deployment. Later changes do not affect it. */
export const Plan = z.strictObject({
  ...keptShape,
  /** Null: it was never turned on. */
  maintenance: z.nullable(MaintenanceState),
  /** Absent: the project has one server. */
  fleet: z.optional(Fleet),
  /** The server that builds for all. Absent: each server builds for itself. */
  builder: z.optional(ServerId),
});
export type Plan = z.infer<typeof Plan>;

/** Why the lane ends a run before the agent has reported a result. `stop`: because another server has failed. */
const Ending = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("stop") }),
  z.strictObject({
    type: z.literal("cancel"),
    by: z.string(),
    actor: EventActor,
  }),
  z.strictObject({ type: z.literal("fail"), failure: DeploymentFailure }),
]);
export type Ending = z.infer<typeof Ending>;

/**
 * The last attempt to send a message to the agent. `undelivered`: the agent was not connected; its link asks the lane
 * again when it connects.
 */
const LastSend = z.strictObject({ sentAt: unixMs, undelivered: z.boolean() });

/**
 * For a rollback or a `config` deployment that is held: the settings that differ from the live settings. Empty for
 * others.
 */
const differs = z.array(z.string());

/**
 * What the first deployment in the queue waits for. `commit`: for its server to resolve the commit that an approval is
 * about. `since`: when it began to wait for the approval or the commit.
 */
const LaneHold = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("freeze"), id: FreezeId, until: unixMs, differs }),
  z.strictObject({ type: z.literal("commit"), since: unixMs, differs }),
  z.strictObject({ type: z.literal("approval"), since: unixMs, differs }),
]);
export type LaneHold = z.infer<typeof LaneHold>;

/**
 * The commit that an approval is about. `none`: the deployment needs no approval, or repeats code that was live.
 * `unknown`: its server must resolve it; `tries` counts the delivered requests. `pinned`: only this commit may go live.
 */
const Pin = z.discriminatedUnion("name", [
  z.strictObject({ name: z.literal("none") }),
  z.strictObject({ name: z.literal("unknown"), lastSend: z.nullable(LastSend), tries: z.int() }),
  z.strictObject({ name: z.literal("pinned"), sha: CommitSha }),
]);
export type Pin = z.infer<typeof Pin>;

const Queued = z.strictObject({
  name: z.literal("queued"),
  /** Null while the first deployment in the queue is held: nobody knows for how long. */
  deadlineAt: z.nullable(unixMs),
  hold: z.nullable(LaneHold),
  plan: Plan,
});
/**
 * Whether the agent may have an order with the activation permit. `unsent`: the agent has none. `sending`: only the
 * last order had the permit; if the link reports that it was not delivered, the agent does not have it. `sent`: an
 * earlier order may have arrived, whatever happens to later ones.
 */
const PermitDelivery = z.enum(["unsent", "sending", "sent"]);

/** Not offered yet: another server resolves the commit first. */
const Waiting = z.strictObject({ name: z.literal("waiting") });
/** Offered to the agent, which has not answered yet. `isAway`: the log says that its server is not connected. */
const Offered = z.strictObject({
  name: z.literal("offered"),
  deadlineAt: unixMs,
  lastSend: z.nullable(LastSend),
  permit: PermitDelivery,
  isAway: z.optional(z.literal(true)),
});
const Running = z.strictObject({
  name: z.literal("running"),
  stage: z.enum(runStages),
  startedAt: unixMs,
  deadlineAt: unixMs,
  lastContactAt: unixMs,
  ackedSeq: z.int(),
  /** Whether the agent asks for the permit. */
  ready: z.boolean(),
  permitted: z.boolean(),
  /** The commit that the agent has reported. */
  fetchedSha: z.nullable(CommitSha),
  ending: z.nullable(Ending),
  /** The last attempt to send a stop; null if there was none. */
  lastSend: z.nullable(LastSend),
});
/** A release on a server. */
const onServer = {
  /** The number of the release folder on the server. */
  release: z.int(),
  releaseKept: z.boolean(),
  /** Null if the lane took the deployment over from the database, and the database had no evidence. */
  evidence: z.nullable(LiveEvidence),
};
/** The server serves the release. */
const Switched = z.strictObject({ name: z.literal("switched"), startedAt: unixMs, ...onServer });
/** `isReported`: the agent has reported it, and not the lane decided it. */
const Broken = z.strictObject({
  name: z.literal("broken"),
  startedAt: z.nullable(unixMs),
  wasPermitted: z.boolean(),
  failure: DeploymentFailure,
  isReported: z.boolean(),
});
/** Ended before it switched, because the deployment has ended. */
const Stopped = z.strictObject({ name: z.literal("stopped"), startedAt: z.nullable(unixMs) });
/** It only builds for other servers, and they can take its build. */
const Built = z.strictObject({ name: z.literal("built"), startedAt: unixMs });
/** Left out, because the server was not connected, or was lost before its permit. */
const Skipped = z.strictObject({ name: z.literal("skipped") });
const RunState = z.discriminatedUnion("name", [
  Waiting,
  Offered,
  Running,
  Switched,
  Broken,
  Stopped,
  Skipped,
  Built,
]);
export type RunState = z.infer<typeof RunState>;

/**
 * What one server does for a deployment. `goesBackTo`: the release that the server served before, if this run undoes the
 * switch of another one; null: the run deploys. `catchesUp`: the deployment is live already, and the server gets it later.
 * `builds`: it builds for the other servers: `too`: and deploys; `only`: the project does not run on its server.
 */
export const Run = z.strictObject({
  id: RunId,
  serverId: ServerId,
  goesBackTo: z.nullable(z.int()),
  catchesUp: z.optional(z.literal(true)),
  /** Absent: it has not ended, or it is the run of a project with one server. */
  endedAt: z.optional(unixMs),
  builds: z.optional(z.enum(["too", "only"])),
  state: RunState,
});
export type Run = z.infer<typeof Run>;

/** Why an active deployment ends without going live. `actor`: who caused it. */
const Verdict = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("cancel"), by: z.string(), actor: EventActor }),
  z.strictObject({ type: z.literal("fail"), failure: DeploymentFailure, actor: EventActor }),
]);
export type Verdict = z.infer<typeof Verdict>;

/** Whether the servers that switch first need an approval: since when it is missing, or that somebody gave it. */
const CanaryApproval = z.discriminatedUnion("name", [
  z.strictObject({ name: z.literal("missing"), since: unixMs }),
  z.strictObject({ name: z.literal("given") }),
]);

/**
 * The servers carry it out. `opened`: all servers were ready at one moment, so that the first could switch. `quota`: how
 * many may have switched by now. `canary`: absent until the first servers have switched, and if they need no approval.
 * `verdict`: it ends when each run has ended; null: not decided yet.
 */
const Active = z.strictObject({
  name: z.literal("active"),
  plan: Plan,
  runs: z.array(Run),
  opened: z.boolean(),
  quota: z.int(),
  pauseUntil: z.nullable(unixMs),
  canary: z.optional(CanaryApproval),
  verdict: z.nullable(Verdict),
});

/**
 * A release of a deployment that was live, on one of its servers. `instead`: what the server serves instead, because a later
 * deployment has failed on other servers and stays on this one.
 */
export const Served = z.strictObject({ serverId: ServerId, ...onServer, instead: z.optional(z.int()) });
export type Served = z.infer<typeof Served>;
const wasLive = {
  startedAt: unixMs,
  finishedAt: unixMs,
  served: z.array(Served),
  /**
   * The plan that it was live with. Null if the lane took the deployment over from the database, which has no plans, or
   * if newer plans need the space (`plan-memory.ts`).
   */
  plan: z.nullable(Plan),
};
/** What each server did, if there were several. The database keeps it after the lane has dropped it. */
const runs = z.optional(z.array(Run));
/** A server that does not serve the live deployment yet. `tries`: how many of its runs have failed since it connected. */
const Behind = z.strictObject({ run: Run, tries: z.int() });
export type Behind = z.infer<typeof Behind>;

/** `catchUps`: how many runs servers that were behind have had, for the ids of further ones. */
const Live = z.strictObject({
  name: z.literal("live"),
  ...wasLive,
  runs,
  behind: z.optional(z.array(Behind)),
  catchUps: z.optional(z.int()),
});
const Superseded = z.strictObject({ name: z.literal("superseded"), ...wasLive });
const Failed = z.strictObject({
  name: z.literal("failed"),
  startedAt: z.nullable(unixMs),
  finishedAt: unixMs,
  failure: DeploymentFailure,
  runs,
});
const Canceled = z.strictObject({
  name: z.literal("canceled"),
  startedAt: z.nullable(unixMs),
  finishedAt: unixMs,
  runs,
});

/** The schemas of the states of a deployment and of a run, for the form in which a lane stores them. */
export const states = { Queued, Active, Live, Superseded, Failed, Canceled, Offered, Running };

const State = z.discriminatedUnion("name", [Queued, Active, Live, Superseded, Failed, Canceled]);
export type State = z.infer<typeof State>;

/**
 * What the request for a rollback said about its settings and variables; null: nothing. `target`: the deployment that was
 * live with the settings that it goes back to. `settleRollback` decides when the rollback's turn comes.
 */
export const RunWith = z.strictObject({
  target: DeploymentId,
  settings: z.nullable(RollbackSettings),
  variables: z.nullable(RollbackVariables),
});
export type RunWith = z.infer<typeof RunWith>;

/**
 * A build that servers take instead of building. `builtBy`: null: a client has uploaded it. `isStored`: whether R2 has it.
 * `isLeaving`: it is being removed from R2, so nothing may take it. It
 * is removed some time after the deployment, and the rest is a record.
 */
export const LaneBuild = z.strictObject({
  artifact: Artifact,
  builtBy: z.nullable(ServerId),
  isStored: z.boolean(),
  isLeaving: z.optional(z.literal(true)),
});
export type LaneBuild = z.infer<typeof LaneBuild>;

/** The state of a deployment in its lane. */
export const LaneDeployment = z.strictObject({
  id: DeploymentId,
  /** Of its first run. The ids of other runs follow from it (`nthRunId`). */
  runId: RunId,
  /** The server of the project; of several, the first. */
  serverId: ServerId,
  version: z.int(),
  /**
   * The version whose code is deployed: its own version, or for a rollback the target's. The version of a `config`
   * deployment is decided when it is offered, with the other fields about its code.
   */
  codeVersion: z.int(),
  kind: DeploymentKind,
  rollbackOf: z.nullable(DeploymentId),
  /**
   * For a rollback or a `config` deployment: the release of its code. A server that still has a release of this code
   * activates it without a build.
   */
  reuseRelease: z.nullable(z.int()),
  branch: z.string(),
  /** The commit as written in the request; null for the latest commit of the branch. */
  requestedCommit: z.nullable(z.string()),
  /** Whether the request named the branch too, so that the branch must contain the commit. */
  inBranch: z.boolean(),
  /** Whether the agent empties the project's cache of dependencies and builds first. */
  clearCache: z.boolean(),
  /** The processes whose instances are all replaced. */
  restart: z.array(ProcessName),
  /** For a `config` deployment: whether its request changes no more than the number of instances, or stops a process. */
  onlyScale: z.boolean(),
  /** How many instances the repository wants of its processes, if not one. */
  repositoryInstances: z.record(z.string(), z.int()),
  /** For a `config` deployment: its changes; null: not known. */
  changes: z.nullable(z.array(DeploymentChange)),
  /** For a rollback: what its request said about its settings and variables. Null for other deployments. */
  runWith: z.nullable(RunWith),
  /** null: the project never had variables when the deployment was requested. */
  variables: z.nullable(DeploymentVariables),
  commitSha: z.nullable(z.string()),
  commitMessage: z.nullable(z.string()),
  /** How long the stages took, from the agent's result. */
  stages: z.array(StageTime),
  /** What started it. */
  trigger: DeploymentTrigger,
  /** The commit of the push that started it; null: no push did. */
  pushedSha: z.nullable(z.string()),
  actor: Actor,
  /**
   * The member behind the actor, whom approvals compare; null: nobody is known. Absent in records of older versions. Not
   * the same as `actor.member`: a service token counts as the member who created it.
   */
  person: z.optional(z.nullable(MemberId)),
  /** The project's rule at the start. */
  approval: ApprovalRule,
  approvedBy: z.nullable(Actor),
  /** Why it passes freezes and approvals; null: it does not. */
  emergency: z.nullable(z.string()),
  pin: Pin,
  /** Absent: each server builds for itself, or has the files. */
  build: z.optional(LaneBuild),
  createdAt: unixMs,
  /** Deleted during its run: no longer listed, and removed when the agent has confirmed its end. */
  deleted: z.boolean(),
  state: State,
});
export type LaneDeployment = z.infer<typeof LaneDeployment>;

/** A deployment that has not ended. */
export type Unended = Named<"queued" | "active">;

export type Named<Name extends State["name"]> = LaneDeployment & { state: Extract<State, { name: Name }> };

/**
 * A server that was offered a deployment of the project. `in_use`: the server may have releases. `leaving`: it must
 * remove them, or with `purge` all files, and has not confirmed the removal yet; `tries` counts the delivered messages.
 * `left`: it has only the mirror and the shared files.
 */
export const Placement = z.strictObject({
  serverId: ServerId,
  state: z.discriminatedUnion("name", [
    z.strictObject({ name: z.literal("in_use") }),
    z.strictObject({
      name: z.literal("leaving"),
      purge: z.boolean(),
      lastSend: z.nullable(LastSend),
      tries: z.int(),
    }),
    z.strictObject({ name: z.literal("left") }),
  ]),
});
export type Placement = z.infer<typeof Placement>;

/** The state of a lane, from which all decisions follow. Deployments are sorted by version. */
export type Lane = {
  readonly nextVersion: number;
  readonly deployments: readonly LaneDeployment[];
  readonly placements: readonly Placement[];
  /** When the project was deleted, in Unix milliseconds; null if it exists. */
  readonly deletedAt: number | null;
  readonly freezes: KnownFreezes;
};

/** The lane of a new project. */
export const emptyLane: Lane = {
  nextVersion: 1,
  deployments: [],
  placements: [],
  deletedAt: null,
  freezes: noFreezes,
};

/** Whether a deployment is in one of the states. Narrows the type of its state. */
export function isIn<Name extends State["name"]>(
  deployment: LaneDeployment,
  ...names: readonly Name[]
): deployment is Named<Name> {
  return names.some((name) => name === deployment.state.name);
}

/** The active deployment, which is offered to the agents or running. */
export function activeOf(lane: Lane): Named<"active"> | null {
  return lane.deployments.find((one) => isIn(one, "active")) ?? null;
}

export function liveOf(lane: Lane): Named<"live"> | null {
  return lane.deployments.find((one) => isIn(one, "live")) ?? null;
}

/** The queued deployments, in the order in which they will run (by version). */
export function queuedOf(lane: Lane): Named<"queued">[] {
  return lane.deployments.filter((one) => isIn(one, "queued"));
}

/** The deployments that were live, including the live one, newest first. */
export function onceLiveOf(lane: Lane): Named<"live" | "superseded">[] {
  return lane.deployments.filter((one) => isIn(one, "live", "superseded")).toReversed();
}

/** Finds a deployment, including a deleted deployment that is still running; null if the lane does not have it. */
export function findDeployment(lane: Lane, id: DeploymentId): LaneDeployment | null {
  return lane.deployments.find((one) => one.id === id) ?? null;
}

export function replaceDeployment(lane: Lane, next: LaneDeployment): Lane {
  return { ...lane, deployments: lane.deployments.map((one) => (one.id === next.id ? next : one)) };
}

export function removeDeployment(lane: Lane, id: DeploymentId): Lane {
  return { ...lane, deployments: lane.deployments.filter((one) => one.id !== id) };
}
