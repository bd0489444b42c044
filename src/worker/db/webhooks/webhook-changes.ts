import { and, eq, sql } from "drizzle-orm";

import type { ProjectId, WebhookId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { webhooks } from "#worker/db/event-tables.ts";
import { hasProjects, unknownProjects } from "#worker/db/projects/list-projects.ts";
import type { Position } from "#worker/db/reads.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";
import { findWebhook, webhookFields, type WebhookReading } from "#worker/db/webhooks/webhook-records.ts";

/** The account's webhooks, newest first. */
export async function listWebhooks(
  rows: AccountRows,
  position: Position<WebhookId>,
): Promise<WebhookReading[]> {
  return await rows.page(webhookFields, webhooks, webhooks.id, position);
}

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
  // All webhooks of the account, also webhooks that the token of the request cannot see.
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

/** Undefined fields keep their values. */
export type WebhookChanges = Partial<Omit<WebhookReading, "id" | "kind" | "createdAt">>;

/**
 * Changes a webhook, if the account has its new projects (each listed once).
 * @param records the writes that record the change
 * @returns false: the webhook or one of the projects does not exist
 */
export async function updateWebhook(
  rows: AccountRows,
  id: WebhookId,
  changes: WebhookChanges,
  records: readonly Write[],
): Promise<boolean> {
  const projectIds: readonly ProjectId[] = changes.projectIds ?? [];
  const where = and(eq(webhooks.id, id), projectIds.length > 0 ? hasProjects(rows, projectIds) : undefined);
  const [changed] = await rows.runTogether([rows.update(webhooks, changes, where), ...records]);
  return changed === 1;
}

/** Deletes a webhook. @param records the writes that record it. @returns whether it existed */
export async function deleteWebhook(
  rows: AccountRows,
  id: WebhookId,
  records: readonly Write[],
): Promise<boolean> {
  const [deleted] = await rows.runTogether([rows.delete(webhooks, eq(webhooks.id, id)), ...records]);
  return deleted === 1;
}
