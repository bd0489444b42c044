import type { WebhookSettings } from "#contract/endpoints/webhooks/settings.ts";
import { discordMessage } from "#domain/notify/discord.ts";
import { commitStatusRequest, keepOfForgeAnswer } from "#domain/notify/forge/commit-status.ts";
import { mailOf } from "#domain/notify/email.ts";
import { jsonRequest } from "#domain/notify/json-request.ts";
import type { Message } from "#domain/notify/message.ts";
import { notificationOf } from "#domain/notify/notification-of.ts";
import { ntfyMessage } from "#domain/notify/ntfy.ts";
import { isRecovery, isReported } from "#domain/notify/outcomes.ts";
import { slackMessage } from "#domain/notify/slack.ts";
import { teamsMessage } from "#domain/notify/teams.ts";
import type { DeliveryInput, OutgoingRequest, OutletMemory } from "#domain/outlet/outgoing-request.ts";

/** The next request of a delivery; null: it is complete, or, before the first request, the event is not sent at all. */
export function nextRequest(input: DeliveryInput): OutgoingRequest | null {
  const { settings, event, answers } = input;
  if (settings.kind === "commit_status") return commitStatusRequest({ ...input, settings });
  if (answers.length > 0) return null;
  if (settings.kind === "standard") {
    const { id: _, ...payload } = event;
    return jsonRequest(settings.url, payload, { headers: settings.headers });
  }
  const { origin, outcomeBefore } = input;
  if (!isReported(event, settings.only_recoveries, outcomeBefore)) return null;
  return messageRequest(settings, notificationOf(event, origin, isRecovery(event, outcomeBefore)));
}

type ForPeople = Exclude<WebhookSettings, { readonly kind: "standard" | "commit_status" }>;

function messageRequest(settings: ForPeople, message: Message): OutgoingRequest {
  switch (settings.kind) {
    case "slack":
      return jsonRequest(settings.url, slackMessage(message));
    case "discord":
      return jsonRequest(settings.url, discordMessage(message));
    case "teams":
      return jsonRequest(settings.url, teamsMessage(message));
    case "ntfy": {
      const { url, topic, token } = settings;
      const headers = token === null ? {} : { authorization: `Bearer ${token}` };
      return jsonRequest(url, ntfyMessage(message, topic), { headers });
    }
    case "email":
      return jsonRequest(`mailto:${settings.to}`, mailOf(message, settings.to));
  }
}

/** What to keep of the last answer, for later requests of this and other deliveries. */
export function keepOfAnswer(input: DeliveryInput): OutletMemory {
  const { settings } = input;
  return settings.kind === "commit_status" ? keepOfForgeAnswer({ ...input, settings }) : {};
}
