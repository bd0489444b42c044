import type { EventPattern } from "#contract/endpoints/events/patterns.ts";
import type { WebhookKind } from "#contract/endpoints/webhooks/kinds.ts";

/** The events that a chat or a mailbox gets by default: few, because they interrupt people. */
const forPeople: readonly EventPattern[] = [
  "deployment.failed",
  "deployment.live",
  "deployment.emergency",
  "server.offline",
  "server.healthy",
  "process.crash_looping",
  "process.recovered",
  "cron.failed",
  "cron.recovered",
  "certificate.expiring",
  "certificate.renewed",
];

/** The events that a webhook of each kind gets if its creation names none. */
export const defaultEvents: Readonly<Record<WebhookKind, readonly EventPattern[]>> = {
  standard: ["*"],
  slack: forPeople,
  discord: forPeople,
  teams: forPeople,
  ntfy: forPeople,
  email: forPeople,
  commit_status: ["deployment.*"],
};
