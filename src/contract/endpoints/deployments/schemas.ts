import * as z from "zod/mini";

import { Artifact, ArtifactDigest } from "#contract/artifact.ts";
import { WebAddress } from "#contract/addresses/web-address.ts";
import { numberFrom, textBetween, textUpTo, wholeFrom } from "#contract/bounds.ts";
import { MemberReference } from "#contract/endpoints/members/reference.ts";
import { EmergencyReason } from "#contract/endpoints/deployments/emergency.ts";
import { CommitSha, FullCommitName, RequestedBranch, RequestedCommit } from "#contract/git-names.ts";
import { DeploymentId, FreezeId, ProjectId, ServerId } from "#contract/ids.ts";
import { NextCursor, PageQuery, separatedByCommas } from "#contract/paging.ts";
import { runStages, stages } from "#contract/stages.ts";
import { growing, unknownOf } from "#contract/growing.ts";
import { dateTime } from "#contract/lib/zod-parts.ts";

export const DeploymentStatus = z.enum(["building", "live", "superseded", "failed", "canceled"]);
export type DeploymentStatus = z.infer<typeof DeploymentStatus>;

export const DeploymentStage = z.enum([...stages, "canceling"]);
export type DeploymentStage = z.infer<typeof DeploymentStage>;

/** `config`: the live release again, with today's variables and process settings. */
export const DeploymentKind = z.enum(["deploy", "rollback", "config"]);
export type DeploymentKind = z.infer<typeof DeploymentKind>;

export const FailureCode = z.enum([
  "fetch_failed",
  "ref_not_found",
  "commit_not_reachable",
  "tool_missing",
  "containers_missing",
  "install_failed",
  "build_failed",
  "release_failed",
  "start_failed",
  "not_live",
  "activate_failed",
  "health_check_failed",
  "timed_out",
  "server_lost",
  "server_offline",
  "disk_full",
  "refused_by_policy",
  "image_unsigned",
  "secrets_unreadable",
  "artifact_invalid",
  "artifact_unavailable",
  "internal",
]);
export type FailureCode = z.infer<typeof FailureCode>;

/** Maximum lengths of the texts of a failure, in UTF-16 code units. A report with a longer text is refused. */
export const MAX_FAILURE_MESSAGE = 2000;
export const MAX_FAILURE_HINT = 500;
export const MAX_FAILING_LINE = 300;
export const MAX_STDERR_TAIL = 8192;
export const MAX_HEALTH_BODY = 2048;

export const FailureEvidence = z.strictObject({
  exit_code: z.optional(z.nullable(z.int())),
  signal: z.optional(z.nullable(textUpTo(20))),
  stderr_tail: z.optional(textUpTo(MAX_STDERR_TAIL)),
  health_status: z.optional(z.nullable(z.int())),
  health_body: z.optional(textUpTo(MAX_HEALTH_BODY)),
});
export type FailureEvidence = z.infer<typeof FailureEvidence>;

export const DeploymentFailure = z.strictObject({
  code: growing(FailureCode),
  message: textUpTo(MAX_FAILURE_MESSAGE),
  stage: DeploymentStage,
  /** On which of several servers. */
  server_id: z.optional(ServerId),
  failing_line: z.optional(textUpTo(MAX_FAILING_LINE)),
  hint: z.optional(textUpTo(MAX_FAILURE_HINT)),
  evidence: z.optional(FailureEvidence),
});
export type DeploymentFailure = z.infer<typeof DeploymentFailure>;

/** The evidence that a deployment went live: the target of the link, the commit, and the result of the health check. */
export const LiveEvidence = z.strictObject({
  target: textUpTo(1024),
  commit_sha: CommitSha,
  health_check: z.nullable(z.strictObject({ url: WebAddress, status: z.int(), tries: z.int() })),
});
export type LiveEvidence = z.infer<typeof LiveEvidence>;

/**
 * What a server does for a deployment: deploy it, go back because the deployment failed on another server, get it after it
 * went live on the others, or only build it for the others.
 */
export const RunPurpose = z.enum(["deploy", "revert", "catch_up", "build"]);

/**
 * `waiting`: it has no order yet. `offered`: its agent has not answered yet. `ready`: it waits for the other servers.
 * `switched`: it serves the release. `skipped`: it was left out, because it was not connected. `built`: the others have its
 * build.
 */
export const RunStatus = z.enum([
  "waiting",
  "offered",
  "running",
  "ready",
  "switched",
  "failed",
  "stopped",
  "skipped",
  "built",
]);
export type RunStatus = z.infer<typeof RunStatus>;

/**
 * What one of several servers does for a deployment. `stage`: null if it is not running. `release`: the release folder that
 * the server has switched to.
 */
export const DeploymentRun = z.strictObject({
  server_id: ServerId,
  purpose: growing(RunPurpose),
  status: growing(RunStatus),
  stage: z.nullable(DeploymentStage),
  failure: z.nullable(DeploymentFailure),
  release: z.nullable(wholeFrom(1)),
  evidence: z.nullable(LiveEvidence),
  started_at: z.nullable(z.string()),
  finished_at: z._default(z.nullable(z.string()), null),
});
export type DeploymentRun = z.infer<typeof DeploymentRun>;

/** How long a stage of a run took, in seconds. */
export const StageTime = z.strictObject({ stage: z.enum(runStages), duration: numberFrom(0) });
export type StageTime = z.infer<typeof StageTime>;

/** The names of settings, such as `build_command`, `processes.web.command` and `variables`. */
const SettingNames = z.array(z.string());

const differs = z.optional(SettingNames);

const holds = [
  z.strictObject({ type: z.literal("freeze"), id: FreezeId, until: z.string(), differs }),
  z.strictObject({ type: z.literal("commit"), id: ServerId }),
  z.strictObject({ type: z.literal("approval"), differs, until: z.optional(z.string()) }),
  z.strictObject({ type: z.literal("batch"), until: z.string() }),
] as const;

/**
 * What holds a deployment at the head of the queue: a freeze until an instant, a missing approval, or a server that has
 * not resolved the commit that an approval is about. `differs`: for a rollback or a `config` deployment, its settings that
 * are not live. On several servers, also what it waits for after the first of them have switched: an approval `until` an
 * instant, or the end of the pause between two batches.
 */
export const Hold = growing(
  z.discriminatedUnion("type", holds),
  z.object({ type: unknownOf(["freeze", "commit", "approval", "batch"]) }),
);
export type Hold = z.infer<typeof Hold>;

export const WaitingOn = growing(
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("deployment"), id: DeploymentId, position: wholeFrom(1) }),
    z.strictObject({ type: z.literal("server"), id: ServerId }),
    ...holds,
  ]),
  z.object({ type: unknownOf(["deployment", "server", "freeze", "commit", "approval", "batch"]) }),
);
export type WaitingOn = z.infer<typeof WaitingOn>;

export const ActorType = z.enum(["token", "hook", "server"]);

/**
 * Who started a deployment: a token, a push that a forge reported to a hook, or a server whose agent found one. `name`:
 * the token's name at that time, who pushed, or the server's name. `member`: the person, if it is the session or the personal
 * token of one; then `name` is the person's.
 */
export const Actor = z.strictObject({
  type: growing(ActorType),
  id: z.string(),
  name: z.string(),
  member: z.optional(MemberReference),
});
export type Actor = z.infer<typeof Actor>;

const timestamp = z.string();

/**
 * What a deployment of the kind `config` changes. `before`, `after`: the values as text; null: none, or not shown. For
 * `variables` they are revisions. `processes.web.restart` replaces all instances, and has no values.
 */
export const DeploymentChange = z.strictObject({
  setting: z.string(),
  before: z.nullable(z.string()),
  after: z.nullable(z.string()),
});
export type DeploymentChange = z.infer<typeof DeploymentChange>;

/** What started a deployment: a request, a push that a forge reported, or a push that the server's agent found. */
export const DeploymentTrigger = z.enum(["api", "push", "poll"]);
export type DeploymentTrigger = z.infer<typeof DeploymentTrigger>;

/** A row of a project's list. Its fields are fixed by agreement: do not add any. `duration` is in seconds. */
export const DeploymentRow = z.strictObject({
  id: DeploymentId,
  status: DeploymentStatus,
  version: wholeFrom(1),
  branch: z.string(),
  commit: z.nullable(z.string()),
  duration: numberFrom(0),
  created_at: timestamp,
});
export type DeploymentRow = z.infer<typeof DeploymentRow>;

/**
 * The build that servers take instead of building. `server_id`: the server that builds for all; null: it was uploaded.
 * `sha256`, `bytes`: of its encrypted archive; null: it is not made yet.
 */
export const DeploymentBuild = z.strictObject({
  server_id: z.nullable(ServerId),
  sha256: z.nullable(ArtifactDigest),
  bytes: z.nullable(wholeFrom(1)),
});
export type DeploymentBuild = z.infer<typeof DeploymentBuild>;

export const Deployment = z.extend(DeploymentRow, {
  project_id: ProjectId,
  server_id: ServerId,
  kind: growing(DeploymentKind),
  rollback_of: z.nullable(DeploymentId),
  stage: z.nullable(DeploymentStage),
  deadline_at: z.nullable(timestamp),
  waiting_on: z.nullable(WaitingOn),
  trigger: growing(DeploymentTrigger),
  actor: Actor,
  commit_sha: z.nullable(z.string()),
  commit_message: z.nullable(z.string()),
  started_at: z.nullable(timestamp),
  finished_at: z.nullable(timestamp),
  failure: z.nullable(DeploymentFailure),
  evidence: z.nullable(LiveEvidence),
  release_kept: z.boolean(),
  stages: z.array(StageTime),
  variables_revision: z.nullable(wholeFrom(1)),
  clear_cache: z.boolean(),
  approved_by: z.nullable(Actor),
  emergency: z.nullable(z.string()),
  changes: z.nullable(z.array(DeploymentChange)),
  runs: z._default(z.array(DeploymentRun), []),
  build: z._default(z.nullable(DeploymentBuild), null),
});
export type Deployment = z.infer<typeof Deployment>;

/** The response to a start and a rollback. Its three fields are fixed by agreement: do not add any. */
export const DeploymentStarted = z.strictObject({
  id: DeploymentId,
  status: z.literal("building"),
  version: wholeFrom(1),
});
export type DeploymentStarted = z.infer<typeof DeploymentStarted>;

const startFields = {
  branch: z.optional(RequestedBranch),
  commit: z.optional(RequestedCommit),
  clear_cache: z.optional(z.boolean()),
  artifact: z.optional(Artifact),
  emergency: z.optional(EmergencyReason),
};

/** An uploaded build has no repository from which its commit could be completed. */
const hasCommitOfArtifact = z.superRefine<{
  readonly commit?: string | undefined;
  readonly artifact?: Artifact | undefined;
}>(({ commit, artifact }, context) => {
  if (artifact === undefined || CommitSha.safeParse(commit).success) return;
  const message = "must be the full hash of the build's commit, in lower case";
  context.addIssue({ code: "custom", path: ["commit"], message });
});

/** `artifact`: a build that was made elsewhere, all of whose parts are uploaded. */
export const StartDeploymentInput = z.strictObject(startFields).check(hasCommitOfArtifact);
export type StartDeploymentInput = z.infer<typeof StartDeploymentInput>;

/** `commit`: the full hash that the approver has seen. */
export const ApproveInput = z.strictObject({
  commit: z.optional(FullCommitName),
  until: z.optional(dateTime()),
});
export type ApproveInput = z.infer<typeof ApproveInput>;

export const DeployInput = z
  .strictObject({ ...startFields, project_id: ProjectId })
  .check(hasCommitOfArtifact);

/** A rollback runs with today's variables, or with the variables of the deployment that it returns to. */
export const RollbackVariables = z.enum(["current", "deployed"]);
export type RollbackVariables = z.infer<typeof RollbackVariables>;

/** As `RollbackVariables`, for the settings: commands, processes, cron jobs and what else runs. */
export const RollbackSettings = z.enum(["current", "deployed"]);
export type RollbackSettings = z.infer<typeof RollbackSettings>;

export const RollbackInput = z
  .strictObject({
    project_id: ProjectId,
    deployment_id: z.optional(DeploymentId),
    version: z.optional(wholeFrom(1)),
    settings: z.optional(RollbackSettings),
    variables: z.optional(RollbackVariables),
    emergency: z.optional(EmergencyReason),
  })
  .check(
    z.refine((input) => input.deployment_id === undefined || input.version === undefined, {
      path: ["version"],
      message: "send either deployment_id or version, not both",
    }),
  );
export type RollbackInput = z.infer<typeof RollbackInput>;

const StatusFilter = separatedByCommas(DeploymentStatus);

export const ProjectDeploymentsQuery = z.extend(PageQuery, {
  status: z.optional(StatusFilter),
  branch: z.optional(textBetween(1, 244)),
  commit: z.optional(RequestedCommit),
});
export type ProjectDeploymentsQuery = z.infer<typeof ProjectDeploymentsQuery>;

export const DeploymentsQuery = z.extend(ProjectDeploymentsQuery, {
  project_id: z.optional(ProjectId),
  server_id: z.optional(ServerId),
});
export type DeploymentsQuery = z.infer<typeof DeploymentsQuery>;

export const DeploymentRows = z.strictObject({
  deployments: z.array(DeploymentRow),
  next_cursor: NextCursor,
});
export type DeploymentRows = z.infer<typeof DeploymentRows>;
export const Deployments = z.strictObject({
  deployments: z.array(Deployment),
  next_cursor: NextCursor,
});
export type Deployments = z.infer<typeof Deployments>;

/** What a rollback runs with if its request leaves it open. `live`: the variables that are live. */
export const RollbackDefault = z.strictObject({
  settings: RollbackSettings,
  variables: z.enum(["current", "live"]),
});
export type RollbackDefault = z.infer<typeof RollbackDefault>;

/** A server, and whether it still has the files of a rollback target. */
export const RollbackServer = z.strictObject({ id: ServerId, release_kept: z.boolean() });

/**
 * A deployment that can be rolled back to. `instant`: its files are still on all servers, so nothing is fetched or built.
 * `servers`: which of several servers has its files.
 * `differs`: today's settings that are not live yet. `held_by`: what would hold a rollback that asks for them.
 */
export const RollbackTarget = z.strictObject({
  deployment_id: DeploymentId,
  version: wholeFrom(1),
  branch: z.string(),
  commit: z.nullable(z.string()),
  commit_message: z.nullable(z.string()),
  live_at: timestamp,
  instant: z.boolean(),
  servers: z._default(z.array(RollbackServer), []),
  default: z.boolean(),
  runs_with: RollbackDefault,
  differs: SettingNames,
  held_by: z.nullable(growing(z.enum(["freeze", "approval"]))),
});
export type RollbackTarget = z.infer<typeof RollbackTarget>;
export const RollbackTargets = z.strictObject({ rollback_targets: z.array(RollbackTarget) });
export type RollbackTargets = z.infer<typeof RollbackTargets>;
