import {
  Actor,
  DeployInput,
  Deployment,
  DeploymentKind,
  DeploymentRow,
  DeploymentRows,
  Deployments,
  DeploymentStage,
  DeploymentStarted,
  DeploymentStatus,
  Failure,
  FailureCode,
  FailureEvidence,
  LiveEvidence,
  RollbackInput,
  RollbackTarget,
  RollbackTargets,
  StartDeploymentInput,
  WaitingOn,
} from "#contract/endpoints/deployments/schemas.ts";
import { choice, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";
import { stageTexts } from "#contract/reference/stage-texts.ts";
import { nextCursor } from "#contract/reference/schemas/shared.ts";

const rowFields = {
  id: "The deployment's id. Ids sort by the time at which they were made.",
  status: "What has become of it.",
  version: "Its number within the project: from 1 on, never given out twice.",
  branch: "The branch or tag that it was started with.",
  commit: "The commit's hash, abbreviated. `null` until the agent has resolved the branch.",
  duration:
    "Seconds from the start of its run to the end; so far, for one that runs; 0 for one that is queued.",
  created_at: "When it was asked for.",
};

const what = {
  branch: "A branch or tag instead of the project's branch.",
  commit:
    "A commit by its hash: 7 characters or more. With `branch` it has to be in that branch or tag; without, in any, as far as the project's `commits` asks for that.",
};

export const deploymentSchemas = {
  DeploymentStatus: choice(DeploymentStatus, "What has become of a deployment.", {
    building: "asked for, and not ended yet; `stage` says where it stands",
    live: "what the project serves now",
    superseded: "was live, until a newer one took its place",
    failed: "did not go live; `failure` says why, and what was live before still is",
    canceled: "was ended on request before it went live",
  }),
  DeploymentStage: choice(DeploymentStage, "Where a deployment stands while it is `building`.", {
    queued: "waits; `waiting_on` says for what",
    ...stageTexts,
    canceling: "is being stopped on request",
  }),
  DeploymentKind: choice(DeploymentKind, "How a deployment came to be.", {
    deploy: "from a branch or a commit",
    rollback: "from a deployment that was live before",
  }),
  FailureCode: choice(FailureCode, "Why a deployment failed.", {
    fetch_failed: "the repository could not be fetched",
    ref_not_found: "the repository has no such branch or commit",
    commit_not_reachable:
      "no branch or tag of the repository contains the commit; the message says what helps",
    build_failed: "the build command failed, or its output cannot be published",
    activate_failed: "the switch or the activate command failed",
    health_check_failed: "the health check was not passed",
    timed_out: "a stage took longer than it may",
    server_lost: "the server lost contact for 5 minutes while the deployment ran",
    server_offline: "the server did not come back within the queue's timeout",
    disk_full: "the server has no room left",
    refused_by_policy: "the policy file on the server does not allow it",
    internal: "Gantry itself failed",
  }),
  DeploymentRow: object(DeploymentRow, "A deployment as a project's list shows it.", rowFields),
  Deployment: object(Deployment, "A deployment with everything that is known of it.", {
    ...rowFields,
    project_id: "The project.",
    server_id: "The server that the project was on when it was started.",
    kind: "How it came to be.",
    rollback_of: "For a rollback: the deployment whose code it brings back.",
    stage: "Where it stands; `null` once it has ended.",
    deadline_at: "When it ends in any case; `null` once it has ended.",
    waiting_on: "For one that is queued: what it waits for. `null` for one that is next.",
    trigger: "What started it.",
    actor: "Who started it.",
    commit_sha: "The commit's whole hash. `null` until the agent has resolved the branch.",
    commit_message: "The first line of the commit's message.",
    started_at: "When its run began.",
    finished_at: "When it ended.",
    failure: "Why it failed; `null` if it did not.",
    evidence: "What showed that it went live; `null` if it never was.",
    release_kept: "Whether its files are still on the server, so that a rollback to it only has to switch.",
  }),
  DeploymentStarted: object(DeploymentStarted, "A deployment that has just been asked for.", {
    id: rowFields.id,
    status: "Always `building`.",
    version: rowFields.version,
  }),
  DeploymentRows: object(DeploymentRows, "A page of a project's deployments.", {
    deployments: "The page's deployments, the newest first.",
    next_cursor: nextCursor,
  }),
  Deployments: object(Deployments, "A page of deployments.", {
    deployments: "The page's deployments, the newest first.",
    next_cursor: nextCursor,
  }),
  WaitingOn: object(WaitingOn, "What a queued deployment waits for.", {
    type: "`deployment`: one of the same project that comes first. `server`: the server, which is offline.",
    id: "The id of that deployment or server.",
    position: "How many deployments come first.",
  }),
  Actor: object(Actor, "Who asked for a deployment.", {
    type: "Always `token`.",
    id: "The token's id.",
    name: "The token's name as it was then.",
  }),
  Failure: object(Failure, "Why a deployment failed, and what shows it.", {
    code: "The reason, for programs.",
    message: "The reason, for people.",
    stage: "The stage in which it failed.",
    evidence: "What the failed stage left behind.",
  }),
  FailureEvidence: object(FailureEvidence, "What shows a failure: whatever of this the failed stage has.", {
    exit_code: "The command's exit code.",
    signal: "The signal that ended the command.",
    stderr_tail: "The end of what the command wrote to its standard error.",
    health_status: "The HTTP status with which the health check was answered last; `null` if it was not.",
    health_body: "The beginning of that answer.",
  }),
  LiveEvidence: object(LiveEvidence, "What showed that a deployment went live.", {
    target: "Where the link `current` points to.",
    commit_sha: "The commit of that release.",
    health_check: "The answer to the health check; `null` for a project without one.",
    "health_check.url": "What was asked.",
    "health_check.status": "The HTTP status of the answer.",
    "health_check.tries": "How often it was asked.",
  }),
  StartDeploymentInput: object(
    StartDeploymentInput,
    "What to deploy: the project's branch without either.",
    what,
  ),
  DeployInput: object(DeployInput, "Which project to deploy, and what of it.", {
    project_id: "The project.",
    ...what,
  }),
  RollbackInput: object(
    RollbackInput,
    "Where to go back to, by id or by version; the default without either.",
    {
      project_id: "The project.",
      deployment_id: "The deployment to go back to. It must have been live.",
      version: "The same, by its version.",
    },
  ),
  RollbackTarget: object(RollbackTarget, "A deployment that can be rolled back to.", {
    deployment_id: "The deployment's id.",
    version: "Its version.",
    branch: rowFields.branch,
    commit: "The commit's hash, abbreviated.",
    commit_message: "The first line of the commit's message.",
    live_at: "When it went live.",
    instant: "Whether its files are still on the server: nothing is fetched or built then.",
    default: "Whether it is the one that is taken where none is named.",
  }),
  RollbackTargets: object(RollbackTargets, "What a project can be rolled back to.", {
    rollback_targets: "The targets, the newest first.",
  }),
} satisfies Record<string, SchemaText>;
