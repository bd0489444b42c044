import type { webhookEventTypes } from "#contract/endpoints/events/event-types.ts";
import type { AuditChanges, AuditTarget } from "#contract/endpoints/audit/schemas.ts";
import type { WebhookId } from "#contract/ids.ts";
import { refuse } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { auditWrites, type EventContent } from "#worker/db/changes/change-writes.ts";
import type { WebhookReading } from "#worker/db/webhooks/webhook-records.ts";
import { requestEntry, requestWrites } from "#worker/operations/changes/request-changes.ts";

type Named = Pick<WebhookReading, "id" | "name" | "kind">;

/** The object of a webhook, which has its address and its deliveries. */
export function outletOf({ outlets }: Pick<Context, "outlets">, id: WebhookId) {
  return outlets.getByName(id);
}

/** The writes that record a change of a webhook, for the batch that makes it. */
export function webhookWrites(
  context: Context,
  type: Extract<(typeof webhookEventTypes)[number], `${string}${"created" | "updated" | "deleted"}`>,
  webhook: Named,
  changes: AuditChanges = {},
) {
  const event: EventContent = { type, data: { webhook: referenceTo(webhook), reason: null } };
  return requestWrites(context, { event, target: targetOf(webhook), projectId: null, changes });
}

/**
 * What the object of a webhook records of a request that enables or disables it, if the request does not reach D1. Its
 * ids differ from the ids of the request's own writes, which may contain other changes too.
 */
export function switchOf(context: Context, webhook: Named, changes: AuditChanges) {
  const entry = requestEntry(context, { target: targetOf(webhook), projectId: null, changes });
  return { eventId: context.ids.event(), entry };
}

/** Records a request that changes nothing in D1, after it succeeded. */
export async function recordRequest(context: Context, webhook: Named): Promise<void> {
  const entry = requestEntry(context, { target: targetOf(webhook), projectId: null });
  await context.rows.runTogether(auditWrites(context.rows, [entry]));
}

/** A webhook as its events show it. */
export function referenceTo({ id, name, kind }: Named) {
  return { id, name, kind };
}

function targetOf({ id, name }: Named): AuditTarget {
  return { type: "webhook", id, name };
}

/** The answer for a webhook whose object has no address. */
export function refuseLostTarget() {
  return refuse(
    "not_found",
    "The address of this webhook was lost when the database was restored to an earlier day. Delete it and create it again.",
  );
}

/** The answer to a resend while nothing is sent. */
export function refuseDisabled() {
  return refuse("webhook_disabled", "The webhook is disabled. Enable it first (PATCH with enabled: true).");
}
