import { hookSettingsOf } from "#contract/endpoints/hooks/hook-settings.ts";
import * as decisions from "#contract/endpoints/hooks/push-decisions.ts";
import * as schemas from "#contract/endpoints/hooks/schemas.ts";
import { example, secrets } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { choice, nextCursor, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

const repository = "git@github.com:acme/shop.git";
const { settingsUrl, steps } = hookSettingsOf("github", repository, "https://gantry.example.com/docs");

const hook = {
  id: example.hook,
  forge: "github",
  repository,
  url: `https://gantry.example.com/v1/hooks/${example.hook}/receive`,
  settings_url: settingsUrl,
  steps: [...steps],
  project_ids: [example.project],
  created_at: "2026-11-02T08:31:40.117Z",
  previous_expires_at: null,
  received_at: "2026-11-20T09:14:01.902Z",
  refused_at: null,
  refused_reason: null,
} as const;

const push = {
  id: example.push,
  hook_id: example.hook,
  project_id: example.project,
  source: "hook",
  received_at: "2026-11-20T09:14:01.902Z",
  event: "push",
  delivery_id: "2f1b6a20-c5f0-11f0-8de9-0242ac120002",
  ref: "refs/heads/main",
  before: "51fc0d9b7e6a2c4f8d1035e9a7b8c6d4f2e1a093",
  after: example.sha,
  headline: "Show prices with tax",
  pusher: "alice",
  decision: "deployed",
  reason: null,
  detail: null,
  deployment_id: example.deployment,
  count: 1,
} as const;

export const hookTexts = {
  listHooks: {
    summary: "List hooks, newest first",
    description: prose`
      Returns the hooks of the account, newest first, without their secrets. A hook works if \`received_at\` is later
      than \`refused_at\`. A token that is limited to projects sees the hooks of the repositories that the servers of these
      projects have read.`,
    answer: { hooks: [hook], next_cursor: null },
  },
  createHook: {
    summary: "Create a hook",
    description: prose`
      Creates a hook for a repository, and the secret that its deliveries must be signed with. Only this response
      contains the secret. Then add a webhook to the repository at the git host, as \`steps\` says:
      \`gantry hooks connect\` does both.

      One hook serves all projects of a repository: all projects whose address leads to the same repository, over https
      or ssh. A second hook for it is 409 \`hook_exists\`. Each project decides by its setting \`deploy_on\` which
      pushes are deployed.

      For a repository of images, \`docker://HOST/NAME\`, the kind is \`registry\`: a pushed tag is what the push to a
      branch is in a git repository. docker.io and ghcr.io are refused, because their notifications cannot be checked.`,
    body: { forge: "github", repository },
    answer: { ...hook, received_at: null, secret: secrets.hook },
    location: `/v1/hooks/${example.hook}`,
  },
  getHook: {
    summary: "Get a hook",
    description: "Returns a hook without its secret.",
    answer: hook,
  },
  rotateHook: {
    summary: "Rotate the secret of a hook",
    description: prose`
      Gives a hook a new secret. Only this response contains it. The previous secret works for another 24 hours, until
      \`previous_expires_at\`, so that you can replace it at the git host. A secret from an earlier rotation stops
      working immediately. Send \`secret\` to set a secret that the git host has generated.`,
    body: {},
    answer: { ...hook, previous_expires_at: "2026-11-21T09:30:00.000Z", secret: secrets.hook },
  },
  deleteHook: {
    summary: "Delete a hook",
    description: prose`
      Deletes a hook. Deliveries to it get 404 from then on, so remove the webhook at the git host too. The pushes that
      it received stay listed at their projects.`,
  },
  listHookPushes: {
    summary: "List the pushes of a hook, newest first",
    description: prose`
      Returns what arrived at a hook, newest first: for each push one row per project, with the decision and its reason.
      Deliveries that concern no project have \`project_id\` \`null\`. Refused deliveries, and deliveries that are not
      pushes, are counted in one row per hour and reason. Rows are kept for 90 days.

      A project gets pushes only after its server has read the repository: in a deployment of a branch, in a test of the
      repository, or when it looks for pushes. At the first push the server is asked. If it cannot read the repository,
      the row has the reason \`repository_unread\`, and is decided when the server can: after a test, when it connects, or
      within an hour.`,
    answer: { pushes: [push], next_cursor: null },
  },
  replayPush: {
    summary: "Decide about a push again",
    description: prose`
      Decides about a push again, with the current settings of the projects, and starts the deployments that follow. A
      row of one project is decided for that project, any other row for all projects of the repository. The branch's
      current commit is deployed, or the tag's.

      A row that has no push, such as a refused delivery, is 409 \`not_replayable\`.`,
    body: {},
    answer: { pushes: [{ ...push, source: "replay", event: null, delivery_id: null }] },
    location: null,
  },
  listProjectPushes: {
    summary: "List the pushes of a project, newest first",
    description: prose`
      Returns the pushes that concern a project, newest first, with what was decided and why. \`source\` is \`poll\` for
      pushes that the server's agent found itself.`,
    answer: { pushes: [push], next_cursor: null },
  },
  receiveDelivery: {
    summary: "Report pushes, as a git host does",
    description: prose`
      The address to which a git host reports pushes. The body is the host's own JSON, also as the form field
      \`payload\`, of up to 5 MiB. The host signs it with the hook's secret: GitHub in \`X-Hub-Signature-256\`, GitLab in
      \`webhook-signature\` or with \`X-Gitlab-Token\`, Gitea in \`X-Gitea-Signature\`, Forgejo in
      \`X-Forgejo-Signature\`, Bitbucket in \`X-Hub-Signature\`, a git server in \`X-Gantry-Signature\`. A registry
      of images sends the secret itself, as \`Authorization: Bearer\`. Anything else is 401 \`invalid_signature\`.

      An authentic delivery is 200, also if it starts no deployment: the response tells why, and hosts show it. It can be
      sent again: it starts no second deployment.`,
    answer: {
      decision: "deployed",
      detail: "Started a deployment of shop.",
      deployments: [{ project: "shop", ref: "refs/heads/main", id: example.deployment, version: 12 }],
      ignored: [
        {
          project: "docs",
          ref: "refs/heads/main",
          reason: "paths_unchanged",
          detail: "The 3 changed files do not count according to the project's paths.",
        },
      ],
      refused: [],
    },
  },
} as const satisfies Partial<OperationTexts>;

const hookFields = {
  id: "The hook's id.",
  forge: "The kind of git host.",
  repository: "The repository.",
  url: "The address for the git host.",
  settings_url: "The page of the repository's webhooks. `null` if the repository's address does not tell it.",
  steps: "What to do there, one sentence each.",
  project_ids: "The projects with this repository.",
  created_at: "When the hook was created.",
  previous_expires_at:
    "Until when the secret from before the last rotation still works. `null` if it no longer works.",
  received_at: "When the last delivery was accepted. `null`: none was.",
  refused_at: "When a delivery was last refused. `null`: none was.",
  refused_reason: "Why it was refused.",
};

const secret = "The secret. It is shown only in this response.";

const aboutFields = { project: "The project's name. `null`: it concerned none.", ref: "The branch or tag." };
export const hookSchemas = {
  HookForge: choice(decisions.HookForge, "A kind of git host that can report pushes.", {
    github: "GitHub",
    gitlab: "GitLab",
    gitea: "Gitea, Forgejo or Codeberg",
    bitbucket: "Bitbucket Cloud",
    git: "a git server with Gantry's `post-receive`",
    registry: "a registry of images: Distribution or Harbor",
  }),
  PushSource: choice(decisions.PushSource, "What reported a push to Gantry.", {
    hook: "the git host reported it",
    replay: "somebody asked for another decision",
    poll: "the server's agent found it",
  }),
  Verdict: choice(decisions.Verdict, "What was decided about a push.", {
    deployed: "a deployment was started, which may have to wait",
    ignored: "the project's settings do not select it",
    refused: "the delivery was not accepted, or no deployment could be started",
  }),
  PushReason: choice(decisions.PushReason, "The reason for a decision about a push.", {
    paths_incomplete: "deployed, because the git host does not list all changed files",
    paths_not_comparable: "deployed, because the push does not start at the live commit",
    branch_not_watched: "no pattern of `branches` matches the branch",
    tag_not_watched: "no pattern of `tags` matches the tag",
    paths_unchanged: "no changed file matches `paths`, or all match `ignore_paths`",
    skip_marker: "the message of the last commit contains one of `skip_markers`",
    ref_deleted: "the branch or tag was deleted",
    disabled: "the project deploys no pushes: `enabled` is false",
    duplicate: "the same delivery has started a deployment before",
    no_project: "no project has this repository, or the project was deleted",
    not_a_push: "the delivery is about something else",
    ping: "the git host tested the hook",
    bad_signature: "the signature does not match the hook's secret",
    no_signature: "the delivery is not signed",
    too_old: "the signature is more than five minutes old, or that far in the future",
    malformed: "the body is not what the git host documents",
    too_large: "the body is larger than 5 MiB",
    other_forge: "the delivery comes from another kind of git host than the hook's",
    other_repository: "the delivery is about another repository than the hook's",
    repository_unread:
      "the project's server has not read the repository yet, so that nothing is decided; only tokens without a limit to projects see the push",
    queue_full: "the project's queue is full",
    secrets_not_sealed: "secrets of the project are not sealed for its server",
    agent_outdated: "an agent of one of the project's several servers is too old",
    containers_missing: "the project runs as a container, and one of its servers cannot run containers",
    unavailable: "the deployment could not be started at that time",
  }),
  CreateHookInput: object(schemas.CreateHookInput, "The hook to create.", {
    forge: hookFields.forge,
    repository: "The repository, as in the settings of its projects. A password in it is not stored.",
    secret: "A secret that the git host has generated. If omitted, Gantry generates one.",
  }),
  RotateHookInput: object(schemas.RotateHookInput, "The new secret.", {
    secret: "A secret that the git host has generated. If omitted, Gantry generates one.",
  }),
  Hook: object(
    schemas.Hook,
    "An address to which a git host reports the pushes of a repository.",
    hookFields,
  ),
  HookWithSecret: object(schemas.HookWithSecret, "A hook with its secret.", { ...hookFields, secret }),
  HookRows: object(schemas.HookRows, "A page of hooks.", {
    hooks: "The hooks of this page, newest first.",
    next_cursor: nextCursor,
  }),
  Push: object(schemas.Push, "What was decided about a push for one project.", {
    id: "The row's id.",
    hook_id:
      "The hook that received it. `null`: the server's agent found it, and the repository has no hook.",
    project_id: "The project. `null`: it concerned none.",
    source: "What reported it.",
    received_at: "When it was reported.",
    event: "The git host's name of the event.",
    delivery_id: "The git host's id of the delivery.",
    ref: "The branch or tag, such as `refs/heads/main`.",
    before: "The commit that the ref pointed to before. `null`: the ref is new, or it is not known.",
    after: "The commit that was pushed. `null`: the ref was deleted.",
    headline: "The first line of that commit's message.",
    pusher: "Who pushed.",
    decision: "What was decided.",
    reason: "Why. `null`: it was deployed without a special reason.",
    detail: "The reason as a sentence.",
    deployment_id: "The deployment that was started.",
    count: "How many deliveries this row stands for.",
  }),
  PushRows: object(schemas.PushRows, "A page of pushes.", {
    pushes: "The pushes of this page, newest first.",
    next_cursor: nextCursor,
  }),
  ReplayedPushes: object(schemas.ReplayedPushes, "What was decided about a push this time.", {
    pushes: "The new rows, one for each project.",
  }),
  PushedDeployment: object(schemas.PushedDeployment, "A deployment that a delivery has started.", {
    ...aboutFields,
    id: "The deployment's id.",
    version: "Its version.",
  }),
  UnstartedPush: object(schemas.UnstartedPush, "A push that starts no deployment of a project.", {
    ...aboutFields,
    reason: "Why no deployment was started.",
    detail: "The reason as a sentence.",
  }),
  DeliveryAnswer: object(schemas.DeliveryAnswer, "What was decided about a delivery.", {
    decision:
      "`deployed` if at least one deployment was started, `refused` if none was and one could not be started.",
    detail: "What happened, as a sentence.",
    deployments: "The deployments that were started.",
    ignored: "The projects that do not deploy it.",
    refused: "The projects whose deployment could not be started.",
  }),
} satisfies Record<string, SchemaText>;
