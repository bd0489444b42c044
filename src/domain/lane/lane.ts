import * as z from "zod/mini";

import { Actor, DeploymentKind, Failure, LiveEvidence } from "#contract/endpoints/deployments/schemas.ts";
import { DeploymentId, RunId, ServerId } from "#contract/ids.ts";
import { BuildSettings, CommitRule, HealthCheck, Timeouts } from "#contract/endpoints/projects/schemas.ts";
import { runStages } from "#contract/stages.ts";

/** At most this many deployments of a project wait; one more start is refused. */
export const MAX_QUEUED = 100;

/** For how long what was deleted is remembered: as far as D1 can be set back (Time Travel). */
export const RESTORABLE_MS = 30 * 24 * 60 * 60_000;

/** How many deployments that were live a lane remembers as rollback targets, besides the live one. */
export const MAX_REMEMBERED = 100;

const unixMs = z.number();

/** The project's settings as they were when the deployment was asked for: a later change cannot reach into a run. */
export const Plan = z.strictObject({
  projectName: z.string(),
  domain: z.string(),
  repository: z.string(),
  /** A plan of an earlier version has none. */
  commits: z._default(CommitRule, "reachable"),
  rootDirectory: z.string(),
  build: BuildSettings,
  activateCommand: z.nullable(z.string()),
  sharedPaths: z.array(z.string()),
  keepReleases: z.int(),
  healthCheck: z.nullable(HealthCheck),
  timeouts: Timeouts,
});
export type Plan = z.infer<typeof Plan>;

/** Why a run is being ended before the agent has given its own result. */
const Ending = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("cancel"), by: z.string() }),
  z.strictObject({ type: z.literal("fail"), failure: Failure }),
]);
export type Ending = z.infer<typeof Ending>;

/**
 * When the agent was last told of something, as far as the lane knows. `kept`: it is not connected, and its link will
 * ask the lane again when it is.
 */
const LastSend = z.strictObject({ sentAt: unixMs, undelivered: z.boolean() });

const Queued = z.strictObject({ name: z.literal("queued"), deadlineAt: unixMs, plan: Plan });
/**
 * Whether the agent may have an order that carries the activation permit. `unsent`: no. `sending`: the last order carried
 * it, and no order before that one did; if the link answers that nobody was there, the agent does not have it. `sent`: it
 * may have come earlier, which no failure of a later order takes back.
 */
const PermitDelivery = z.enum(["unsent", "sending", "sent"]);

/** Next in line, and offered to the agent, which has not answered yet. */
const Offered = z.strictObject({
  name: z.literal("offered"),
  deadlineAt: unixMs,
  lastSend: z.nullable(LastSend),
  /** A lane that was saved before this was recorded does not know, so it may have been sent. */
  permit: z._default(PermitDelivery, "sent"),
  plan: Plan,
});
const Running = z.strictObject({
  name: z.literal("running"),
  stage: z.enum(runStages),
  startedAt: unixMs,
  deadlineAt: unixMs,
  lastContactAt: unixMs,
  ackedSeq: z.int(),
  permitted: z.boolean(),
  ending: z.nullable(Ending),
  /** When the agent was last told to stop; null while it need not be. */
  lastSend: z.nullable(LastSend),
  plan: Plan,
});
const wasLive = {
  startedAt: unixMs,
  finishedAt: unixMs,
  /** The folder of the server that holds its files. */
  release: z.int(),
  releaseKept: z.boolean(),
  /** null: the database, from which the lane has taken the deployment over, did not have it. */
  evidence: z.nullable(LiveEvidence),
};
const Live = z.strictObject({ name: z.literal("live"), ...wasLive });
const Superseded = z.strictObject({ name: z.literal("superseded"), ...wasLive });
const Failed = z.strictObject({
  name: z.literal("failed"),
  startedAt: z.nullable(unixMs),
  finishedAt: unixMs,
  failure: Failure,
});
const Canceled = z.strictObject({
  name: z.literal("canceled"),
  startedAt: z.nullable(unixMs),
  finishedAt: unixMs,
});

const State = z.discriminatedUnion("name", [Queued, Offered, Running, Live, Superseded, Failed, Canceled]);
export type State = z.infer<typeof State>;

/** A deployment as its lane knows it. */
export const LaneDeployment = z.strictObject({
  id: DeploymentId,
  runId: RunId,
  serverId: ServerId,
  version: z.int(),
  /** The version whose code this is: its own, or for a rollback that of the deployment gone back to. */
  codeVersion: z.int(),
  kind: DeploymentKind,
  rollbackOf: z.nullable(DeploymentId),
  /** The release to activate again without a build, if the server still has it. */
  reuseRelease: z.nullable(z.int()),
  branch: z.string(),
  /** The commit asked for, as it was written; null for the tip of the branch. */
  requestedCommit: z.nullable(z.string()),
  /** The request has named the branch as well, so the commit has to be in it. */
  inBranch: z._default(z.boolean(), false),
  commitSha: z.nullable(z.string()),
  commitMessage: z.nullable(z.string()),
  actor: Actor,
  createdAt: unixMs,
  /** Deleted while it ran: on no list any more, and forgotten once the agent has confirmed its end. */
  deleted: z.boolean(),
  state: State,
});
export type LaneDeployment = z.infer<typeof LaneDeployment>;

export type Named<Name extends State["name"]> = LaneDeployment & { state: Extract<State, { name: Name }> };

/**
 * A server that was ever offered a deployment. `in_use`: it may hold releases. `leaving`: it must let go of them, or
 * with `purge` of everything, and has not confirmed that yet; `tries` counts how often it was told. `left`: nothing
 * but its mirror and shared files is left.
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

/** All that a lane decides from. Deployments stand in the order of their versions. */
export type Lane = {
  readonly nextVersion: number;
  readonly deployments: readonly LaneDeployment[];
  readonly placements: readonly Placement[];
  /** When the project was deleted, in Unix milliseconds; null while it is there. */
  readonly deletedAt: number | null;
};

/** A fresh project's lane. */
export const emptyLane: Lane = { nextVersion: 1, deployments: [], placements: [], deletedAt: null };

/** Whether a deployment is in one of these states; the type knows then what that state holds. */
export function isIn<Name extends State["name"]>(
  deployment: LaneDeployment,
  ...names: readonly Name[]
): deployment is Named<Name> {
  return names.some((name) => name === deployment.state.name);
}

/** The one that holds the lane: offered to the agent, or running. */
export function activeOf(lane: Lane): Named<"offered" | "running"> | null {
  return lane.deployments.find((one) => isIn(one, "offered", "running")) ?? null;
}

export function liveOf(lane: Lane): Named<"live"> | null {
  return lane.deployments.find((one) => isIn(one, "live")) ?? null;
}

/** In the order in which they run: that of their versions. */
export function queuedOf(lane: Lane): Named<"queued">[] {
  return lane.deployments.filter((one) => isIn(one, "queued"));
}

/** Those that were live, the live one among them, newest first. */
export function onceLiveOf(lane: Lane): Named<"live" | "superseded">[] {
  return lane.deployments.filter((one) => isIn(one, "live", "superseded")).toReversed();
}

/** Also one that is deleted and still runs; null: the lane does not remember it. */
export function findDeployment(lane: Lane, id: DeploymentId): LaneDeployment | null {
  return lane.deployments.find((one) => one.id === id) ?? null;
}

export function replaceDeployment(lane: Lane, next: LaneDeployment): Lane {
  return { ...lane, deployments: lane.deployments.map((one) => (one.id === next.id ? next : one)) };
}

export function removeDeployment(lane: Lane, id: DeploymentId): Lane {
  return { ...lane, deployments: lane.deployments.filter((one) => one.id !== id) };
}
