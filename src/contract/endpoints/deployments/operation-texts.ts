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

const location = `/v1/deployments/${example.deployment}` as const;

export const deploymentTexts = {
  listProjectDeployments: {
    tag: "Deployments",
    description: prose`
      A page of one project's deployments, by version from the newest on. Filters narrow it down and can be combined.

      Each row has the seven fields that a list needs; \`GET /v1/deployments\` with \`project_id\` gives the same
      deployments with everything that is known of them.`,
    body: null,
    answer: { deployments: [deploymentRow, earlierRow], next_cursor: null },
  },
  startDeployment: {
    tag: "Deployments",
    description: prose`
      Starts a deployment and answers at once: 201 means that it is stored and will end, live, failed with a reason,
      or canceled. Follow it with \`GET /v1/deployments/{deployment_id}\` or its log.

      Without \`branch\` and \`commit\`, or without a body, it deploys the project's branch. With \`commit\` it deploys
      that commit, which a branch or tag of the repository has to contain (the failure is \`commit_not_reachable\`
      otherwise), or the named \`branch\` if both are given. The project's \`commits\` can lift that, or forbid
      \`commit\` (422), and the server's policy can be stricter. One deployment of a project runs at a
      time; the others wait in the order in which they came, and \`waiting_on\` says for what.

      The server may be offline: the deployment waits for it, up to the project's \`timeouts.queue_seconds\`. To
      deploy only if nobody else has meanwhile, send \`If-Live\`. To be able to send the same request again after a
      broken connection, send an \`Idempotency-Key\`.`,
    body: { branch: "main" },
    answer: started,
    location,
  },
  deploy: {
    tag: "Deployments",
    description: prose`
      The same as \`POST /v1/projects/{project_id}/deployments\`, with the project named in the body. It suits scripts
      that have one address and a body to fill in.`,
    body: { project_id: example.project, commit: example.commit },
    answer: started,
    location,
  },
  listDeployments: {
    tag: "Deployments",
    description: prose`
      A page of the deployments of every project that the token can see, the newest first, each with everything that
      is known of it. Filters narrow it down and can be combined: \`?status=failed&server_id=…\` shows what went wrong
      on one server.`,
    body: null,
    answer: { deployments: [liveDeployment], next_cursor: example.cursor },
  },
  getDeployment: {
    tag: "Deployments",
    description: prose`
      One deployment: where it stands, what it waits for, why it failed, and what showed that it went live.

      While \`status\` is \`building\`, \`stage\` moves on and \`deadline_at\` is the instant at which it ends in any
      case. One that has ended hardly ever changes, so asking again with \`If-None-Match\` gets an empty 304.`,
    body: null,
    answer: liveDeployment,
  },
  getProjectDeployment: {
    tag: "Deployments",
    description: prose`
      The same as \`GET /v1/deployments/{deployment_id}\`, below its project. A deployment of another project is 404
      here.`,
    body: null,
    answer: liveDeployment,
  },
  deleteDeployment: {
    tag: "Deployments",
    description: prose`
      Removes a deployment from every list, with its log. Its version is not given out again, and its files stay on
      the server for as long as the live deployment uses them.

      What is live cannot be deleted (409 \`deployment_live\`): deploy or roll back first, then it is superseded. One
      that is still \`building\` is canceled by this, up to the moment in which the server switches to it: then it is
      409 \`deployment_activating\`, and a few seconds later it has ended and can be deleted. Deleting it a second time
      is 404.`,
    body: null,
    answer: null,
  },
  cancelDeployment: {
    tag: "Deployments",
    description: prose`
      Ends a deployment before it goes live. One that is queued is \`canceled\` in the answer. One that runs gets the
      stage \`canceling\`, and \`canceled\` once the agent has confirmed that the whole process group is gone; only
      then does the next one begin.

      One that has ended, or that is being switched to at this moment, is 409 \`not_cancelable\`. If it goes live after
      all, go back with \`POST /v1/rollback\`.`,
    body: {},
    answer: canceledDeployment,
  },
  rollBack: {
    tag: "Deployments",
    description: prose`
      Makes a new deployment of what was live before. If the server still has its files, it only switches: a matter of
      milliseconds. If not, the commit is built again.

      Without \`deployment_id\` and \`version\` it goes back to the newest deployment with older code than what is live
      now; so a second rollback goes one further back, never forward to the broken one. To come forward again, name
      the version. \`GET /v1/projects/{project_id}/rollback-targets\` lists what can be named.

      It refuses what is live now (409 \`already_live\`) and what never was live (409 \`no_rollback_target\`).
      Naming a target by id and by version at once is 422.`,
    body: { project_id: example.project, version: 11 },
    answer: { ...started, version: 13 },
    location,
  },
  listRollbackTargets: {
    tag: "Deployments",
    description: prose`
      The deployments that \`POST /v1/rollback\` can go back to, the newest first, up to 100. \`default\` marks the one
      that is taken where none is named; \`instant\` the ones whose files are still on the server.`,
    body: null,
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
