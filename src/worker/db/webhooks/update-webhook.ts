import { and, eq } from "drizzle-orm";

import type { ProjectId, WebhookId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { webhooks } from "#worker/db/event-tables.ts";
import { hasProjects } from "#worker/db/projects/unknown-projects.ts";
import type { WebhookReading } from "#worker/db/webhooks/webhook-reading.ts";

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
