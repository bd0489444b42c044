import { deploymentFields, emergencyText, rowFields } from "#contract/endpoints/deployments/field-texts.ts";
import { outcomeSchemas } from "#contract/endpoints/deployments/outcome-texts.ts";
import { rollbackSchemas } from "#contract/endpoints/deployments/rollback-texts.ts";
import * as schemas from "#contract/endpoints/deployments/schemas.ts";
import {
  canceledDeployment,
  deploymentRow,
  earlierRow,
  example,
  liveDeployment,
  waitingDeployment,
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
      shows what each waits for, also if it is held by a freeze or waits for an approval. If the server is offline, the
      deployment waits for it, at most for the project's
      \`timeouts.queue_seconds\`.

      The server keeps the dependencies that a project installs, and what its framework's build keeps for the next one.
      With \`clear_cache\`, it deletes them first, and the deployment installs and builds everything.

      The deployment runs with the project's current variables. If the project's server cannot open one of the
      secrets, the response is 409 \`secrets_not_sealed\`: enter the named ones again.

      With \`artifact\`, the servers deploy a build that was made elsewhere. If not all of its parts are stored, the response
      is 409 \`artifact_incomplete\`; if a server cannot open it, 409 \`artifact_unreadable\`.

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
  approveDeployment: {
    summary: "Approve a deployment",
    description: prose`
      Approves a deployment that waits for an approval, or will when it is first in the queue, because the project's
      \`approval\` was not \`none\` at its start. 7 days after it became the first, a deployment without one is canceled.

      An approval is for one commit: \`commit_sha\` of the deployment, which its server resolves soon after the start.
      Commits that are pushed later are not deployed. Until the commit is known, the response is 409
      \`commit_unknown\`. Send \`commit\` with the hash that you have seen: if the deployment has another commit, the
      response is 409 \`commit_changed\`. A \`config\` deployment applies settings to the code that is live at its turn.

      With \`by_another\`, who started the deployment cannot approve it with any session or token of theirs (403
      \`own_deployment\`). With \`by_another_person\`, a service token cannot either (403 \`person_required\`). If the
      deployment needs no approval, or has ended, the response is 409 \`not_approvable\`. A second approval of the same
      commit changes nothing; one of another commit is 409 \`commit_changed\` too.

      With \`canary.approval\` in the project's \`rollout\`, a deployment also waits after its first servers have switched.
      This approval is another one: send \`until\` of \`waiting_on\`. Without it, or with another one, the response is 409
      \`hold_changed\`, so that a repeated or late approval of the start does not let the other servers follow.`,
    body: { commit: example.sha },
    answer: waitingDeployment,
  },
  rollBack: {
    summary: "Roll back to an earlier deployment",
    description: prose`
      Starts a deployment of code that was live before. If the server still has the files, it only switches to them,
      which takes milliseconds. Otherwise it builds the commit again.

      Without \`deployment_id\` and \`version\`, the target is the newest deployment whose code is older than the live
      code and whose commit is another one; if all have the live commit, the newest of them. A second rollback therefore
      goes back further, and never returns to the newer code. To return to newer code, send its \`version\`.
      \`GET /v1/projects/{project_id}/rollback-targets\` lists all targets.

      The rollback runs with the project's current settings and variables, unless you send \`settings: "deployed"\` or
      \`variables: "deployed"\`. If the project's server cannot open one of the secrets, the response is 409
      \`secrets_not_sealed\`.

      Freezes and approvals do not hold code that was live before. They hold what else a rollback would change. If the
      current settings or variables differ from the live ones, and the request says nothing about them, the rollback
      runs with the settings that the target was live with and the variables that are live: it does not wait. With
      \`settings: "current"\` or \`variables: "current"\` it waits as a deployment does. \`runs_with\` of the rollback
      targets shows this before the start. A rollback that nothing holds passes deployments that are held, which run
      after it. Approved deployments keep the settings with which they were approved.

      If the target is already live, the response is 409 \`already_live\`. If it never was live, or was live with
      settings that are not known and that the request asks for, the response is 409 \`no_rollback_target\`. A request
      with both \`deployment_id\` and \`version\` is 422.`,
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
          servers: [],
          default: true,
          runs_with: { settings: "current", variables: "current" },
          differs: [],
          held_by: null,
        },
      ],
    },
  },
} as const satisfies Partial<OperationTexts>;

const source = {
  branch: "The branch or tag to deploy. If omitted: the project's branch.",
  commit:
    "The hash of the commit to deploy, at least 7 characters. If omitted: the newest one of the branch. The commit must be contained in `branch` if you send it, otherwise in any branch or tag, unless the project's `commits` setting says otherwise. Of a repository of images: the full digest, with or without `sha256:`.",
  clear_cache:
    "Whether to delete what the server keeps of earlier installations and builds of the project. Default: `false`.",
  artifact:
    "A build that was made elsewhere and whose parts are uploaded (`PUT /v1/projects/{project_id}/artifacts/{sha256}/{part}`): the servers take it and build nothing. Send `commit` too, the full hash of its commit; the project's `commits` setting does not apply. The project's `artifact_uploads` must be `true`. If omitted: the server builds.",
  emergency: emergencyText,
};

const differsText =
  "For a rollback, and for settings that are applied to the live code: what differs from what is live, such as `build_command`, `processes.web.command`, `server_id` and `variables`. `settings`: the live settings are not known.";

export const deploymentSchemas = {
  ...outcomeSchemas,
  ...rollbackSchemas,
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
      "the variables of the deployment that it rolls back to, with the current `GANTRY_REPOSITORY_TOKEN` and `GANTRY_REGISTRY_TOKEN`. A changed password of a database, for example, is then the old one again.",
  }),
  RollbackSettings: choice(schemas.RollbackSettings, "Which settings a rollback runs with.", {
    current: "the project's current settings",
    deployed:
      "the settings that its target was live with: repository, branch, build settings, commands, processes, cron jobs, shared paths and health check. The server, the domains, the limits and the number of instances do not go back.",
  }),
  RollbackDefault: object(
    schemas.RollbackDefault,
    "What a rollback runs with if its request says nothing about it.",
    {
      settings:
        "`current`: the project's current settings. `deployed`: the settings that the target was live with.",
      variables: "`current`: the project's current variables. `live`: the live variables.",
    },
  ),
  DeploymentKind: choice(schemas.DeploymentKind, "The kind of a deployment.", {
    deploy: "deploys a branch or a commit",
    rollback: "deploys the code of an earlier deployment",
    config: "deploys the live code again with the current variables and process settings, without a build",
  }),
  DeploymentRow: object(schemas.DeploymentRow, "A deployment in the list of a project.", rowFields),
  Deployment: object(schemas.Deployment, "A deployment with every field.", deploymentFields),
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
    type: "`deployment`: for an earlier deployment of the same project. `server`: for the server, which is offline or has not taken it yet. `freeze`: for the end of a freeze. `commit`: for the server to resolve the commit that needs an approval. `approval`: for an approval.",
    id: "The id of that deployment, server or freeze.",
    position: "The number of deployments ahead in the queue.",
    until:
      "When the freeze ends, or the pause between two batches, or, if the first servers have switched, the time to approve that the others follow.",
    differs: differsText,
  }),
  Hold: object(schemas.Hold, "What holds a deployment at the head of the queue.", {
    type: "`freeze`: a freeze. `commit`: its server has not resolved the commit that needs an approval. `approval`: a missing approval.",
    id: "The id of that freeze or server.",
    until:
      "When the freeze ends, or the pause between two batches, or, if the first servers have switched, the time to approve that the others follow.",
    differs: differsText,
  }),
  Actor: object(schemas.Actor, "Who started a deployment.", {
    type: "`token`: a request with a token. `hook`: a push that a git host reported. `server`: a push that the server's agent found.",
    id: "The id of the token, the hook or the server.",
    name: "The name of the person or the token at the start of the deployment, the name of who pushed, or the server's name.",
    member: "The member, if the token is the session or the personal token of one.",
  }),
  StartDeploymentInput: object(
    schemas.StartDeploymentInput,
    "What to deploy. Without either field: the project's branch.",
    source,
  ),
  ApproveInput: object(schemas.ApproveInput, "What is approved.", {
    commit:
      "The full hash of the commit that you have seen. An abbreviated one is not enough: another commit with the same first characters can be made. If omitted: the deployment's `commit_sha`, whatever it is.",
    until:
      "`until` of the deployment's `waiting_on`, if its first servers have switched and the others wait for an approval. If omitted: the approval is for the start.",
  }),
  DeployInput: object(schemas.DeployInput, "The project, and what to deploy.", {
    project_id: "The id of the project to deploy.",
    ...source,
  }),
  RollbackInput: object(
    schemas.RollbackInput,
    "The rollback target, by id or by version. Without either: the default target.",
    {
      project_id: "The id of the project to roll back.",
      deployment_id:
        "The id of the deployment to roll back to. It must have been live. If omitted: `version`, or the default target.",
      version:
        "The version of the deployment to roll back to. If omitted: `deployment_id`, or the default target.",
      settings:
        "Which settings the rollback runs with. If omitted: the project's current settings, unless a freeze or a missing approval would hold them; then the settings that the target was live with.",
      variables:
        "Which variables the rollback runs with. If omitted: the project's current variables, unless a freeze or a missing approval would hold them; then the live variables.",
      emergency: emergencyText,
    },
  ),
} satisfies Record<string, SchemaText>;
