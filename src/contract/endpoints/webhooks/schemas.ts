import * as z from "zod/mini";

import { WebAddress } from "#contract/addresses/web-address.ts";
import { listBetween, numberFrom, textBetween, wholeFrom } from "#contract/bounds.ts";
import { EventPattern } from "#contract/endpoints/events/patterns.ts";
import { EventType } from "#contract/endpoints/events/schemas.ts";
import { DisplayName } from "#contract/endpoints/projects/settings.ts";
import { DeliveryState, WebhookKind, WebhookState } from "#contract/endpoints/webhooks/kinds.ts";
import {
  CommitStatusSettings,
  DiscordSettings,
  EmailAddress,
  EmailSettings,
  NtfySettings,
  NtfyTopic,
  SlackSettings,
  StandardSettings,
  StatusForge,
  TargetHeaders,
  TargetToken,
  TeamsSettings,
} from "#contract/endpoints/webhooks/settings.ts";
import { EventId, ProjectId, WebhookId } from "#contract/ids.ts";
import { NextCursor } from "#contract/paging.ts";
import { dateTime } from "#contract/lib/zod-parts.ts";
import { growing } from "#contract/growing.ts";

const MAX_PATTERNS = 50;
const MAX_PROJECT_IDS = 1_000;

const EventPatterns = listBetween(EventPattern, 1, MAX_PATTERNS);
const ProjectIds = z.nullable(listBetween(ProjectId, 1, MAX_PROJECT_IDS));

/** `name`: without one, the host and path of the target. `events`: without them, the usual events of the kind. */
const common = {
  name: z.optional(DisplayName),
  events: z.optional(EventPatterns),
  project_ids: z._default(ProjectIds, null),
};

export const CreateWebhookInput = z.discriminatedUnion("kind", [
  z.extend(StandardSettings, common),
  z.extend(SlackSettings, common),
  z.extend(DiscordSettings, common),
  z.extend(TeamsSettings, common),
  z.extend(NtfySettings, common),
  z.extend(EmailSettings, common),
  z.extend(CommitStatusSettings, common),
]);
export type CreateWebhookInput = z.infer<typeof CreateWebhookInput>;

/** Omitted fields stay as they are. A setting that the webhook's kind does not have is refused. */
export const UpdateWebhookInput = z.strictObject({
  name: z.optional(DisplayName),
  events: z.optional(EventPatterns),
  project_ids: z.optional(ProjectIds),
  enabled: z.optional(z.boolean()),
  url: z.optional(WebAddress),
  headers: z.optional(TargetHeaders),
  topic: z.optional(NtfyTopic),
  token: z.optional(z.nullable(TargetToken)),
  to: z.optional(EmailAddress),
  only_recoveries: z.optional(z.boolean()),
  api_url: z.optional(z.nullable(WebAddress)),
  statuses: z.optional(z.boolean()),
  deployments: z.optional(z.boolean()),
  environment: z.optional(z.nullable(textBetween(1, 100))),
});
export type UpdateWebhookInput = z.infer<typeof UpdateWebhookInput>;

/**
 * A webhook without its secrets. `url`: the target, with its secret parts masked. `failing_since`: since when every
 * attempt has failed.
 */
export const Webhook = z.strictObject({
  id: WebhookId,
  kind: growing(WebhookKind),
  name: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  project_ids: z.nullable(z.array(ProjectId)),
  state: growing(WebhookState),
  disabled_reason: z.nullable(z.string()),
  failing_since: z.nullable(z.string()),
  created_at: z.string(),
});
export type Webhook = z.infer<typeof Webhook>;

/** The response to creating and rotating. `secret`: signs the deliveries; null: the kind does not sign. Not shown again. */
export const WebhookWithSecret = z.extend(Webhook, { secret: z.nullable(z.string()) });
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>;

export const WebhookRows = z.strictObject({ webhooks: z.array(Webhook), next_cursor: NextCursor });
export type WebhookRows = z.infer<typeof WebhookRows>;

/** The settings of a webhook's kind that are not secret; null: the kind does not have the setting. */
export const ShownSettings = z.strictObject({
  /** The names of the headers. */
  headers: z.nullable(z.array(z.string())),
  only_recoveries: z.nullable(z.boolean()),
  forge: z.nullable(growing(StatusForge)),
  api_url: z.nullable(z.string()),
  statuses: z.nullable(z.boolean()),
  deployments: z.nullable(z.boolean()),
  environment: z.nullable(z.string()),
});
export type ShownSettings = z.infer<typeof ShownSettings>;

/**
 * One request to the target. `status`: null: there was no answer. `duration`: in seconds. `problem`: why it counts as
 * failed, as a sentence. `answer`: the beginning of the answer's body, at most 1 KiB.
 */
export const DeliveryAttempt = z.strictObject({
  at: z.string(),
  status: z.nullable(z.int()),
  duration: numberFrom(0),
  problem: z.nullable(z.string()),
  answer: z.string(),
});
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

/** An event on its way to the target. `attempts`: the oldest first, at most the last 12. */
export const Delivery = z.strictObject({
  event_id: EventId,
  event_type: growing(EventType),
  state: growing(DeliveryState),
  created_at: z.string(),
  next_attempt_at: z.nullable(z.string()),
  attempt_count: wholeFrom(0),
  attempts: z.array(DeliveryAttempt),
});
export type Delivery = z.infer<typeof Delivery>;

export const DeliveryRows = z.strictObject({ deliveries: z.array(Delivery), next_cursor: NextCursor });
export type DeliveryRows = z.infer<typeof DeliveryRows>;

/** A webhook with what its deliveries show. `previous_secret_expires_at`: until when an older secret signs too. */
export const WebhookDetails = z.extend(Webhook, {
  settings: ShownSettings,
  previous_secret_expires_at: z.nullable(z.string()),
  pending: wholeFrom(0),
  held: wholeFrom(0),
  last_attempt: z.nullable(DeliveryAttempt),
});
export type WebhookDetails = z.infer<typeof WebhookDetails>;

/** The result of a test. `hint`: what else to look at, because the answer does not show everything. */
export const WebhookTest = z.strictObject({
  event_id: EventId,
  delivered: z.boolean(),
  attempt: DeliveryAttempt,
  hint: z.nullable(z.string()),
});
export type WebhookTest = z.infer<typeof WebhookTest>;

/**
 * Which deliveries to send again: failed and held deliveries. `since`: only deliveries of events since this instant.
 * `delivered`: also successful deliveries.
 */
export const ResendInput = z.strictObject({
  since: z.optional(dateTime()),
  delivered: z._default(z.boolean(), false),
});
export type ResendInput = z.infer<typeof ResendInput>;

/** How many deliveries will be sent again. */
export const Resent = z.strictObject({ resent: wholeFrom(0) });
export type Resent = z.infer<typeof Resent>;
