import { sql } from "drizzle-orm";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { webhooks } from "#worker/db/event-tables.ts";
import { hasProjects, unknownProjects } from "#worker/db/projects/unknown-projects.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";
import { findWebhook } from "#worker/db/webhooks/find-webhook.ts";
import type { WebhookReading } from "#worker/db/webhooks/webhook-reading.ts";

/** The most webhooks of an account. Each gets every event, in an object of its own. */
export const MAX_WEBHOOKS = 100;

type WebhookInsertion =
  | { readonly outcome: "inserted"; readonly webhook: WebhookReading }
  | { readonly outcome: "no_such_projects"; readonly projectIds: readonly ProjectId[] }
  | { readonly outcome: "too_many" };

/**
 * Adds a webhook if the account has its projects (each listed once). If an earlier try of the same request has added it,
 * returns that webhook.
 * @param records the writes that record the change
 */
export async function insertWebhook(
  rows: AccountRows,
  webhook: WebhookReading,
  records: readonly Write[],
): Promise<WebhookInsertion> {
  const wanted = webhook.projectIds ?? [];
  // All webhooks of the account, also those that the token of the request cannot see.
  const hasRoom = sql`${rows.countAll(webhooks)} < ${MAX_WEBHOOKS}`;
  const insert = rows.insert(webhooks, webhook, sql`${hasProjects(rows, wanted)} and ${hasRoom}`);
  try {
    const [inserted] = await rows.runTogether([insert, ...records]);
    if (inserted === 1) return { outcome: "inserted", webhook };
  } catch (error) {
    if (uniqueViolation(error) === null) throw error;
  }
  const added = await findWebhook(rows, webhook.id);
  if (added !== null) return { outcome: "inserted", webhook: added };
  const unknown = await unknownProjects(rows, wanted);
  return unknown.length > 0 ? { outcome: "no_such_projects", projectIds: unknown } : { outcome: "too_many" };
}
