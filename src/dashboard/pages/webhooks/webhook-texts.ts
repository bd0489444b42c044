import type { DeliveryAttempt } from "#contract/endpoints/webhooks/schemas.ts";
import type { DeliveryState, WebhookKind, WebhookState } from "#contract/endpoints/webhooks/kinds.ts";
import { durationText } from "#contract/lib/duration-text.ts";

export const kindLabels: Record<WebhookKind, string> = {
  standard: "Your own program",
  slack: "Slack",
  discord: "Discord",
  teams: "Microsoft Teams",
  ntfy: "ntfy",
  email: "E-mail",
  commit_status: "Commit status at the git host",
};

/** Where a person gets what the form asks for. */
export const kindHints: Record<WebhookKind, string> = {
  standard: "Each event is sent as JSON and signed as in Standard Webhooks 1.0.0.",
  slack: "Create an incoming webhook for a channel in Slack, and paste its address.",
  discord: "Create a webhook in the settings of a channel in Discord, and paste its address.",
  teams:
    "Create a workflow in Teams that posts to a channel when a webhook request is received, and paste its address.",
  ntfy: "Everybody who knows the topic can read it: choose a topic that is hard to guess.",
  email: "Sends an e-mail for each event, if this installation can send e-mail.",
  commit_status: "The git host shows the result of each deployment at its commit.",
};

export const webhookStateLabels: Record<WebhookState, string> = {
  active: "Active",
  failing: "Failing",
  disabled: "Disabled",
};

/** The class of a state, as of a deployment's status. */
export const webhookStateClasses: Record<WebhookState, string> = {
  active: "live",
  failing: "degraded",
  disabled: "canceled",
};

export const deliveryLabels: Record<DeliveryState, string> = {
  pending: "Pending",
  sending: "Sending",
  delivered: "Delivered",
  failed: "Failed",
  held: "Held",
  replaced: "Replaced",
};

/** As `webhookStateClasses`. */
export const deliveryClasses: Record<DeliveryState, string> = {
  pending: "pending",
  sending: "building",
  delivered: "live",
  failed: "failed",
  held: "canceled",
  replaced: "canceled",
};

/** The result of a request to the target, such as `Status 200 after 0.1 s`. */
export function attemptText({ status, duration, problem }: DeliveryAttempt): string {
  const answer = status === null ? "No answer" : `Status ${status}`;
  return `${answer} after ${durationText(duration)}.${problem === null ? "" : ` ${problem}`}`;
}
