import { DeliveryState, WebhookKind, WebhookState } from "#contract/endpoints/webhooks/kinds.ts";
import * as schemas from "#contract/endpoints/webhooks/schemas.ts";
import { StatusForge } from "#contract/endpoints/webhooks/settings.ts";
import {
  choice,
  nested,
  nextCursor,
  object,
  type SchemaText,
} from "#contract/reference/schemas/schema-text.ts";

const common = {
  name: "A name for people. Default: the host and path of the target, as they are shown.",
  events: "Types of events, and patterns such as `deployment.*`. `*`: all.",
  project_ids:
    "The projects whose events it gets. `null`: all projects, and events that belong to no project.",
};

const settings = {
  url: "The address of the target. For `ntfy`: of its server.",
  headers: "Headers that each request gets, such as an Authorization: up to 10.",
  only_recoveries:
    "Send a message about a live deployment or a connected server only if it failed before. Default: true.",
  topic: "The topic of ntfy. Anyone who knows it can read and write its messages.",
  token: "An access token: of ntfy, or of the git host.",
  to: "The address that gets the mails.",
  api_url:
    "The address of your own git host, or of its API. `null`: github.com, gitlab.com, codeberg.org or bitbucket.org. Projects whose repository is elsewhere get no status.",
  statuses: "Set the state of commits. Default: true.",
  deployments: "Create deployments on GitHub. Default: false.",
  environment: "The environment of GitHub's deployments. `null`: the project's name.",
};

const webhookFields = {
  id: "The webhook's id.",
  kind: "What it sends.",
  name: common.name,
  url: "The target, with what is secret in its address masked.",
  events: common.events,
  project_ids: common.project_ids,
  state: "Whether its target gets events.",
  disabled_reason: "Why it was disabled. `null`: it is not, or somebody did it.",
  failing_since: "Since when every attempt has failed. `null`: the last attempts did not.",
  created_at: "When it was created.",
};

const attemptFields = {
  at: "When the attempt began.",
  status: "The status of the answer. `null`: there was none.",
  duration: "How long it took, in seconds.",
  problem: "Why it counts as failed. `null`: it succeeded.",
  answer: "The beginning of the answer, at most 1 KiB.",
};

export const webhookSchemas = {
  WebhookKind: choice(WebhookKind, "What a webhook sends.", {
    standard: "each event as it is, signed (Standard Webhooks)",
    slack: "messages to a channel of Slack",
    discord: "messages to a channel of Discord",
    teams: "messages to a channel of Microsoft Teams",
    ntfy: "push messages by ntfy",
    email: "mails",
    commit_status: "the state of each deployed commit, to a git host",
  }),
  WebhookState: choice(WebhookState, "Whether the target of a webhook gets events.", {
    active: "it does",
    failing: "the last attempts have failed; Gantry tries again",
    disabled: "it gets nothing until somebody enables it",
  }),
  StatusForge: choice(StatusForge, "A kind of git host that shows the state of commits.", {
    github: "GitHub, also GitHub Enterprise Server",
    gitlab: "GitLab",
    gitea: "Gitea, Forgejo and Codeberg",
    bitbucket: "Bitbucket Cloud",
  }),
  DeliveryState: choice(DeliveryState, "The state of a delivery.", {
    pending: "it waits for its first or next attempt",
    sending: "an attempt is under way",
    delivered: "the target has accepted it",
    failed: "all attempts have failed",
    held: "the webhook is or was disabled, or did not select the project of the event",
    replaced: "a newer delivery made it superfluous before it was sent",
  }),
  CreateWebhookInput: object(
    schemas.CreateWebhookInput,
    "The webhook to create. Its fields depend on its kind.",
    {
      ...common,
      ...settings,
      events: `${common.events} If omitted: \`*\` for \`standard\`, \`deployment.*\` for \`commit_status\`, and for messages to people the deployments that fail or go live and the servers that disconnect or connect.`,
      kind: "What it sends.",
      forge: "The kind of git host.",
    },
  ),
  UpdateWebhookInput: object(schemas.UpdateWebhookInput, "The fields to change.", {
    ...common,
    ...settings,
    enabled: "Whether the target gets events.",
  }),
  Webhook: object(schemas.Webhook, "A webhook without its secrets.", webhookFields),
  WebhookWithSecret: object(schemas.WebhookWithSecret, "A webhook with its secret.", {
    ...webhookFields,
    secret: "Signs the deliveries. It is shown only in this response. `null`: the kind does not sign.",
  }),
  WebhookDetails: object(schemas.WebhookDetails, "A webhook with the state of its deliveries.", {
    ...webhookFields,
    settings: "The settings of its kind that are not secret. `null`: the kind does not have the setting.",
    ...nested("settings", {
      headers: "The names of the headers that each request gets.",
      only_recoveries: settings.only_recoveries,
      forge: "The kind of git host.",
      api_url: settings.api_url,
      statuses: settings.statuses,
      deployments: settings.deployments,
      environment: settings.environment,
    }),
    previous_secret_expires_at: "Until when the secret from before the last rotation signs too.",
    pending: "How many deliveries wait for an attempt, counted up to 1000.",
    held: "How many deliveries are held, counted up to 1000.",
    last_attempt: "The latest attempt of a delivery about the projects that the webhook selects.",
  }),
  WebhookRows: object(schemas.WebhookRows, "A page of webhooks.", {
    webhooks: "The webhooks of this page, newest first.",
    next_cursor: nextCursor,
  }),
  DeliveryAttempt: object(schemas.DeliveryAttempt, "One request to the target.", attemptFields),
  Delivery: object(schemas.Delivery, "An event on its way to the target.", {
    event_id: "The event's id, and the header `webhook-id`.",
    event_type: "The event's type.",
    state: "Its state.",
    created_at: "When the event happened.",
    next_attempt_at: "When the next attempt is due. `null`: none is.",
    attempt_count: "How many attempts it has had.",
    attempts: "The last 12 attempts, the oldest first.",
  }),
  DeliveryRows: object(schemas.DeliveryRows, "A page of deliveries.", {
    deliveries: "The deliveries of this page, newest first.",
    next_cursor: nextCursor,
  }),
  WebhookTest: object(schemas.WebhookTest, "The result of a test.", {
    event_id: "The id of the test event.",
    delivered: "Whether the target accepted it.",
    attempt: "The request and its answer.",
    hint: "What else to look at, because the answer does not show everything.",
  }),
  ResendInput: object(schemas.ResendInput, "Which deliveries to send again.", {
    since: "Only deliveries of events since this time. If omitted: all.",
    delivered: "Also successful deliveries.",
  }),
  Resent: object(schemas.Resent, "How many deliveries are sent again.", { resent: "How many." }),
} satisfies Record<string, SchemaText>;
