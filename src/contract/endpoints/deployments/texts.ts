import * as schemas from "#contract/endpoints/deployments/schemas.ts";
import {
  canceledDeployment,
  deploymentRow,
  earlierRow,
  example,
  liveDeployment,
  started,
} from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { choice, nextCursor, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";
import { stageTexts } from "#contract/reference/stage-texts.ts";

const location = `/v1/deployments/${example.deployment}` as const;

export const deploymentTexts = {
  listProjectDeployments: {
    summary: "List the deployments of a project, newest first",
    description: prose`
      Returns one page of the deployments of a project, highest version first. You can combine the filters.

      Each row has seven fields. To get every field, call \`GET /v1/deployments\` with \`project_id\`.`,
    answer: { deployments: [deploymentRow, earlierRow], next_cursor: null },
  },
  startDeployment: {
    summary: "Start a deployment of a project",
    description: prose`
      Starts a deployment. The response does not wait for it to end: 201 means that the deployment is stored. It later
      ends as \`live\`, \`failed\` (with a reason) or \`canceled\`. To follow it, read
      \`GET /v1/deployments/{deployment_id}\` or its log.

      Without \`branch\` and \`commit\`, or without a body, Gantry deploys the project's branch. With \`commit\`, it
      deploys that commit. A branch or tag of the repository must contain the commit; if you also send \`branch\`, that
      branch or tag must contain it. Otherwise the deployment fails with \`commit_not_reachable\`. The project's
      \`commits\` setting can allow other commits, or forbid \`commit\` (422). The policy file on the server can add
      restrictions.

      A project runs one deployment at a time. Others wait in the order in which they were started, and \`waiting_on\`
      shows what each waits for. If the server is offline, the deployment waits for it, at most for the project's
      \`timeouts.queue_seconds\`.

      The server keeps the dependencies that a project installs, and what its framework's build keeps for the next one.
      With \`clear_cache\`, it deletes them first, and the deployment installs and builds everything.

      The deployment runs with the project's current variables. If the project's server cannot open one of the
      secrets, the response is 409 \`secrets_not_sealed\`: enter the named ones again.

      To deploy only if the live deployment has not changed, send \`If-Live\`. To retry safely after a network error,
      send an \`Idempotency-Key\`.`,
    body: { branch: "main" },
    answer: started,
    location,
  },
  deploy: {
    summary: "Start a deployment",
    description: prose`
      Starts a deployment, like \`POST /v1/projects/{project_id}/deployments\`, with the project in the body. Use it in
      scripts that have one fixed URL.`,
    body: { project_id: example.project, commit: example.commit },
    answer: started,
    location,
  },
  listDeployments: {
    summary: "List the deployments of all projects, newest first",
    description: prose`
      Returns one page of the deployments of all projects that the token can access, newest first, with every field.
      You can combine the filters. For example, \`?status=failed&server_id=…\` returns the failures on one server.`,
    answer: { deployments: [liveDeployment], next_cursor: example.cursor },
  },
  getDeployment: {
    summary: "Get a deployment",
    description: prose`
      Returns one deployment, with its stage, what it waits for, why it failed and the evidence that it went live.

      While \`status\` is \`building\`, \`stage\` is the current stage, and the deployment ends at \`deadline_at\` at the
      latest. A deployment rarely changes after it has ended, so poll with \`If-None-Match\` to get an empty 304.`,
    answer: liveDeployment,
  },
  getProjectDeployment: {
    summary: "Get a deployment of a project",
    description: prose`
      Returns one deployment of the project, like \`GET /v1/deployments/{deployment_id}\`. For a deployment of another
      project, the response is 404.`,
    answer: liveDeployment,
  },
  deleteDeployment: {
    summary: "Delete a deployment and its log",
    description: prose`
      Deletes a deployment and its log. The version number is not used again. The files stay on the server while the
      live deployment uses them.

      The live deployment cannot be deleted (409 \`deployment_live\`): deploy or roll back first. A deployment that is
      still \`building\` is canceled. While the server is activating it, the response is 409
      \`deployment_activating\`; retry a few seconds later, after it has ended. A second delete gets 404.`,
  },
  cancelDeployment: {
    summary: "Cancel a deployment",
    description: prose`
      Cancels a deployment before it goes live. If the deployment is queued, the response shows it as \`canceled\`. If
      it is running, its stage becomes \`canceling\`, and its status becomes \`canceled\` when the agent has confirmed
      that all of its processes have ended. The next deployment starts after that.

      If the deployment has ended or the server is activating it, the response is 409 \`not_cancelable\`. If it then goes
      live, use \`POST /v1/rollback\` to return to the previous deployment.`,
    body: {},
    answer: canceledDeployment,
  },
    summary: "Approve a deployment",
  rollBack: {
    summary: "Roll back to an earlier deployment",
    description: prose`
      Starts a deployment of code that was live before. If the server still has the files, it only switches to them,
      which takes milliseconds. Otherwise it builds the commit again.

      Without \`deployment_id\` and \`version\`, the target is the newest deployment whose code is older than the live
      code. A second rollback therefore goes back one more deployment, and never returns to the newer code. To return to
      newer code, send its \`version\`. \`GET /v1/projects/{project_id}/rollback-targets\` lists all targets.

      The rollback runs with the project's current variables, unless you send \`variables: "deployed"\`. If the
      project's server cannot open one of the secrets, the response is 409 \`secrets_not_sealed\`.

      If the target is already live, the response is 409 \`already_live\`. If it never was live, the response is 409
      \`no_rollback_target\`. A request with both \`deployment_id\` and \`version\` is 422.`,
    body: { project_id: example.project, version: 11 },
    answer: { ...started, version: 13 },
    location,
  },
  listRollbackTargets: {
    summary: "List the rollback targets of a project, newest first",
    description: prose`
      Returns up to 100 deployments that \`POST /v1/rollback\` accepts as a target, newest first. \`default\` marks the
      target of a rollback that names none. \`instant\` marks targets whose files are still on the server.`,
    answer: {
      rollback_targets: [
        {
          deployment_id: example.earlier,
          version: 11,
          branch: "main",
          commit: example.earlierCommit,
          commit_message: "Add the winter collection",
          live_at: "2026-11-19T16:41:34.285Z",
          instant: true,
          default: true,
        },
      ],
    },
  },
} as const satisfies Partial<OperationTexts>;

const rowFields = {
  id: "The deployment's id. Ids sort by creation time.",
  status: "The deployment's status.",
  version: "The number of the deployment within its project, from 1. Numbers are never reused.",
  branch: "The branch or tag that the deployment was started with.",
  commit: "The abbreviated commit hash. `null` until the agent has resolved the branch.",
  duration: "The run time in seconds: until now while the deployment is running, 0 while it is queued.",
  created_at: "When the deployment was requested.",
};

const source = {
  branch: "The branch or tag to deploy instead of the project's branch.",
  commit:
    "The hash of the commit to deploy, at least 7 characters. The commit must be contained in `branch` if you send it, otherwise in any branch or tag, unless the project's `commits` setting says otherwise.",
  clear_cache:
    "Whether to delete what the server keeps of earlier installations and builds of the project. Default: `false`.",
};

export const deploymentSchemas = {
  DeploymentStatus: choice(schemas.DeploymentStatus, "The status of a deployment.", {
    building: "queued or running; `stage` has the details",
    live: "the project serves this deployment",
    superseded: "was live until a newer deployment replaced it",
    failed: "did not go live; `failure` has the reason. The previous deployment stays live.",
    canceled: "was canceled before it went live",
  }),
  DeploymentStage: choice(schemas.DeploymentStage, "The stage of a deployment whose status is `building`.", {
    queued: "waits; `waiting_on` shows for what",
    ...stageTexts,
    canceling: "the agent is stopping the deployment after a cancel request",
  }),
  RollbackVariables: choice(schemas.RollbackVariables, "Which variables a rollback runs with.", {
    current: "the project's current variables",
    deployed:
      "those of the deployment that it goes back to, with the current `GANTRY_REPOSITORY_TOKEN`. A changed password of a database, for example, is then the old one again.",
  }),
  DeploymentKind: choice(schemas.DeploymentKind, "The kind of a deployment.", {
    deploy: "deploys a branch or a commit",
    rollback: "deploys the code of an earlier deployment",
    config: "deploys the live code again with the current variables and process settings, without a build",
  }),
  FailureCode: choice(schemas.FailureCode, "Why a deployment failed.", {
    fetch_failed: "git could not fetch the repository",
    ref_not_found: "the repository does not contain the branch or commit",
    commit_not_reachable:
      "no branch or tag of the repository contains the commit; `message` says how to fix it",
    tool_missing: "the build needs a tool that the server does not have",
    install_failed: "the install command failed",
    build_failed: "the build command failed, or its output cannot be published",
    release_failed: "the release command failed; the server did not switch to the release",
    not_live: "nothing was live that a deployment of the kind `config` could deploy again",
    start_failed: "an instance of a process did not start; the server did not switch to the release",
    activate_failed: "the switch to the release or the activate command failed",
    health_check_failed: "the health check failed",
    timed_out: "a stage exceeded its timeout",
    server_lost: "the server sent nothing for 5 minutes during the run",
    server_offline: "the server did not connect within `timeouts.queue_seconds`",
    disk_full: "the server's disk is full",
    refused_by_policy: "the policy file on the server forbids the deployment",
    secrets_unreadable:
      "the server cannot open secrets of the project, or they are older than those it has used; enter those that `message` names again",
    internal: "an internal error of Gantry",
  }),
  DeploymentRow: object(schemas.DeploymentRow, "A deployment in the list of a project.", rowFields),
  Deployment: object(schemas.Deployment, "A deployment with every field.", {
    ...rowFields,
    project_id: "The project's id.",
    server_id: "The id of the server that the project was on when the deployment was started.",
    kind: "What the deployment deploys.",
    rollback_of: "For a rollback: the id of the deployment whose code is deployed.",
    stage: "The current stage. `null` after the deployment has ended.",
    deadline_at: "The latest time at which the deployment ends. `null` after it has ended.",
    waiting_on: "What a queued deployment waits for. `null` if it is next or no longer queued.",
    trigger: "What started the deployment.",
    actor: "Who started the deployment.",
    commit_sha: "The full commit hash. `null` until the agent has resolved the branch.",
    commit_message: "The first line of the commit message.",
    started_at: "When the run started.",
    finished_at: "When the deployment ended.",
    failure: "Why the deployment failed. `null` if it did not fail.",
    evidence: "The evidence that the deployment went live. `null` if it never was live.",
    release_kept:
      "Whether the files are still on the server. If `true`, a rollback to this deployment needs no build.",
    stages:
      "How long each stage of the run took, in their order. Empty until the deployment has ended, and if its agent did not report it.",
    variables_revision:
      "The revision of the project's variables that the deployment runs with. `null` if there were none.",
    clear_cache: "Whether the deployment started without the cache of dependencies and builds.",
  }),
  DeploymentStarted: object(schemas.DeploymentStarted, "A deployment that was started.", {
    id: rowFields.id,
    status: "Always `building`.",
    version: rowFields.version,
  }),
  DeploymentRows: object(schemas.DeploymentRows, "A page of the deployments of a project.", {
    deployments: "The deployments of this page, highest version first.",
    next_cursor: nextCursor,
  }),
  Deployments: object(schemas.Deployments, "A page of deployments.", {
    deployments: "The deployments of this page, newest first.",
    next_cursor: nextCursor,
  }),
  StageTime: object(schemas.StageTime, "How long a stage of a deployment took.", {
    stage: "The stage.",
    duration: "Its duration in seconds.",
  }),
  WaitingOn: object(schemas.WaitingOn, "What a queued deployment waits for.", {
    type: "`deployment`: for an earlier deployment of the same project. `server`: for the server, which is offline.",
    id: "The id of that deployment or server.",
    position: "The number of deployments ahead in the queue.",
  }),
  Actor: object(schemas.Actor, "Who started a deployment.", {
    type: "Always `token`.",
    id: "The token's id.",
    name: "The name of the token at the start of the deployment.",
  }),
  Failure: object(schemas.Failure, "Why a deployment failed.", {
    code: "The reason, for programs.",
    message: "The reason, for people.",
    stage: "The stage that failed.",
    failing_line:
      "The line of the command's output that most likely says why it failed: the first of its last lines that looks like an error, and otherwise the last one. Absent if there is no output.",
    hint: "What to do about it, if the cause is a known one.",
    evidence: "Details from the stage that failed.",
  }),
  FailureEvidence: object(
    schemas.FailureEvidence,
    "Details of a failure. Which fields exist depends on the stage.",
    {
      exit_code: "The command's exit code.",
      signal: "The signal that ended the command.",
      stderr_tail: "The end of the command's standard error.",
      health_status:
        "The HTTP status of the last response to the health check. `null` if there was no response.",
      health_body: "The beginning of that response.",
    },
  ),
  LiveEvidence: object(schemas.LiveEvidence, "The evidence that a deployment went live.", {
    target: "The target of the symbolic link `current` on the server.",
    commit_sha: "The commit of that release.",
    health_check: "The result of the health check. `null` if the project has none.",
    "health_check.url": "The URL that was requested.",
    "health_check.status": "The HTTP status of the response.",
    "health_check.tries": "The number of requests that were sent.",
  }),
  StartDeploymentInput: object(
    schemas.StartDeploymentInput,
    "What to deploy. Without either field: the project's branch.",
    source,
  ),
  DeployInput: object(schemas.DeployInput, "The project, and what to deploy.", {
    project_id: "The id of the project to deploy.",
    ...source,
  }),
  RollbackInput: object(
    schemas.RollbackInput,
    "The rollback target, by id or by version. Without either: the default target.",
    {
      project_id: "The id of the project to roll back.",
      deployment_id: "The id of the deployment to roll back to. It must have been live.",
      version: "The version of the deployment to roll back to.",
      variables: "Which variables the rollback runs with.",
    },
  ),
  RollbackTarget: object(schemas.RollbackTarget, "A deployment that a project can be rolled back to.", {
    deployment_id: "The deployment's id.",
    version: "The deployment's version.",
    branch: rowFields.branch,
    commit: "The abbreviated commit hash.",
    commit_message: "The first line of the commit message.",
    live_at: "When the deployment went live.",
    instant: "Whether the files are still on the server, so that the rollback needs no build.",
    default: "Whether a rollback that names no target uses this deployment.",
  }),
  RollbackTargets: object(schemas.RollbackTargets, "The rollback targets of a project.", {
    rollback_targets: "The targets, newest first.",
  }),
} satisfies Record<string, SchemaText>;
