import { defaultEvents } from "#contract/endpoints/webhooks/default-events.ts";
import { example, secrets } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";

const webhook = {
  id: example.webhook,
  kind: "standard",
  name: "hooks.example.com",
  url: "https://hooks.example.com/gantry",
  events: ["deployment.*", "server.offline"],
  project_ids: null,
  state: "active",
  disabled_reason: null,
  failing_since: null,
  created_at: "2026-11-20T09:00:00.000Z",
} as const;

const attempt = {
  at: "2026-11-20T09:14:44.201Z",
  status: 204,
  duration: 0.084,
  problem: null,
  answer: "",
} as const;

const delivery = {
  event_id: example.event,
  event_type: "deployment.live",
  state: "delivered",
  created_at: "2026-11-20T09:14:44.155Z",
  next_attempt_at: null,
  attempt_count: 1,
  attempts: [attempt],
} as const;

export const webhookTexts = {
  listWebhooks: {
    summary: "List webhooks, newest first",
    description: prose`
      Returns the webhooks of the account, newest first. Addresses are shown with what is secret in them masked. A token
      that is limited to projects sees only webhooks that are limited to some of the same projects.`,
    answer: { webhooks: [webhook], next_cursor: null },
  },
  createWebhook: {
    summary: "Create a webhook",
    description: prose`
      Creates a webhook: from now on each event that it selects is sent to its target. The kind \`standard\` sends events
      as they are, signed according to Standard Webhooks; the other kinds send messages to people or the state of commits
      to a git host. The fields besides \`name\`, \`events\` and \`project_ids\` depend on the kind.

      Only this response contains the \`secret\` with which the receiver checks the signature. Kinds other than
      \`standard\` have none.

      The target must be a public address with https. An IP address, a name that only exists in a private network, plain
      http, a user name or password in the address and the address of this installation are 422. Gantry does not follow
      redirects.

      Without \`events\` a webhook of the kind \`standard\` gets all (\`${defaultEvents.standard.join("`, `")}\`), a
      \`commit_status\` \`${defaultEvents.commit_status.join("`, `")}\`, and the others
      \`${defaultEvents.slack.join("`, `")}\`. They get a message about a live deployment only if the deployment before
      failed, unless \`only_recoveries\` is false. Without \`project_ids\` a webhook gets the events of all projects, and
      events that belong to no project. An account can have 100 webhooks (409 \`too_many\`).`,
    body: {
      kind: "standard",
      url: "https://hooks.example.com/gantry",
      events: ["deployment.*", "server.offline"],
    },
    answer: { ...webhook, secret: secrets.hook },
    location: `/v1/webhooks/${example.webhook}`,
  },
  getWebhook: {
    summary: "Get a webhook",
    description: prose`
      Returns a webhook with the settings of its kind that are not secret, and how many deliveries wait.`,
    answer: {
      ...webhook,
      settings: {
        headers: ["authorization"],
        only_recoveries: null,
        forge: null,
        api_url: null,
        statuses: null,
        deployments: null,
        environment: null,
      },
      previous_secret_expires_at: null,
      pending: 0,
      held: 0,
      last_attempt: attempt,
    },
  },
  updateWebhook: {
    summary: "Change, enable or disable a webhook",
    description: prose`
      Changes the given fields. A setting that the webhook's kind does not have is 422. A new address needs the headers,
      the token or the topic again (422), because the new address would get the secrets of the old address. \`enabled:
      false\` stops all deliveries and holds waiting ones. \`enabled: true\` starts with the next event; send the held
      ones with \`POST /v1/webhooks/{webhook_id}/resend\`.

      With fewer \`project_ids\`, deliveries about the other projects are held if they wait, and are neither listed nor
      sent while the webhook does not select these projects.`,
    body: { events: ["deployment.failed", "deployment.live"], enabled: true },
    answer: { ...webhook, events: ["deployment.failed", "deployment.live"] },
  },
  deleteWebhook: {
    summary: "Delete a webhook",
    description: prose`Deletes a webhook with its secret and its deliveries. What waits is not sent.`,
  },
  testWebhook: {
    summary: "Send a test event now",
    description: prose`
      Sends an event \`webhook.test\` to the target, waits for the answer (at most 20 seconds) and returns it. There is one
      attempt and no retry. No other webhook gets the event, and the list of events does not have it. A disabled webhook
      can be tested too.`,
    body: {},
    answer: { event_id: example.event, delivered: true, attempt, hint: null },
  },
  rotateWebhook: {
    summary: "Rotate the secret of a webhook",
    description: prose`
      Gives a webhook of the kind \`standard\` a new secret. Only this response contains it. For 24 hours each delivery has
      a signature with the new secret and one with each of up to three earlier ones, so that the receiver can have either.
      Other kinds have no secret (422).`,
    body: {},
    answer: { ...webhook, secret: secrets.hook },
  },
  listDeliveries: {
    summary: "List the deliveries of a webhook, newest first",
    description: prose`
      Returns one page of the deliveries of a webhook, newest first, with their attempts. Only deliveries about projects
      that the webhook selects now are listed. Gantry keeps the last 1,000 deliveries that have ended, for at most 30
      days.`,
    answer: { deliveries: [delivery], next_cursor: example.cursor },
  },
  resendDelivery: {
    summary: "Send a delivery again",
    description: prose`
      Sends the event again, with all its attempts, also if it was delivered. It has the same \`webhook-id\`. If a newer
      delivery has replaced it, nothing is sent. A delivery about a project that the webhook no longer selects is 404.
      While the webhook is disabled, this is 409 \`webhook_disabled\`.`,
    body: {},
    answer: {
      ...delivery,
      state: "pending",
      next_attempt_at: "2026-11-20T10:00:00.000Z",
    },
  },
  resendDeliveries: {
    summary: "Send failed and held deliveries again",
    description: prose`
      Sends all deliveries again that failed or are held: with \`since\` only deliveries of events since that time, with
      \`delivered\` also successful deliveries. Test events are not sent again, and nothing about projects that the
      webhook no longer selects.`,
    body: { since: "2026-11-20T00:00:00Z" },
    answer: { resent: 12 },
  },
} as const satisfies Partial<OperationTexts>;
