import type { AuditChanges } from "#contract/endpoints/audit/schemas.ts";
import type { UpdateWebhookInput, Webhook } from "#contract/endpoints/webhooks/schemas.ts";
import type { ProjectId, WebhookId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { excessOver } from "#domain/token-grant.ts";
import type { Context } from "#worker/context.ts";
import { unknownProjects } from "#worker/db/projects/list-projects.ts";
import { findWebhook, type WebhookReading } from "#worker/db/webhooks/webhook-records.ts";
import { updateWebhook as changeWebhook, type WebhookChanges } from "#worker/db/webhooks/webhook-changes.ts";
import type { OutletChanges } from "#worker/objects/outlet/outlet.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { refuseExcess, refuseUnknownProjects } from "#worker/operations/tokens/grant-refusals.ts";
import { refuseTargets } from "#worker/operations/webhooks/change-webhooks.ts";
import {
  outletOf,
  refuseLostTarget,
  switchOf,
  webhookWrites,
} from "#worker/operations/webhooks/webhook-request.ts";
import { webhookView } from "#worker/views/webhook-view.ts";

type UpdateRefusal = "insufficient_scope" | "invalid_request" | "not_found";

/**
 * Changes a webhook. Its address, its secrets and its projects change in its object, before D1: a repeated request
 * completes the change.
 */
export async function updateWebhook(
  context: Context,
  id: WebhookId,
  { name, events, project_ids: given, enabled, ...settings }: UpdateWebhookInput,
): Promise<Result<Webhook, UpdateRefusal>> {
  const webhook = await findWebhook(context.rows, id);
  if (webhook === null) return notFound("webhook");
  const projectIds = given == null ? given : [...new Set(given)];
  const wrongProjects = await refuseProjects(context, projectIds);
  if (wrongProjects !== null) return wrongProjects;
  const wrongTarget = refuseTargets(context, settings);
  if (wrongTarget !== null) return wrongTarget;
  const target = await changeOutlet(context, webhook, { settings, projectIds });
  if (!target.ok) return target;
  if (enabled !== undefined && !(await switchOutlet(context, webhook, enabled))) return refuseLostTarget();
  const changes: WebhookChanges = {
    ...(name === undefined ? {} : { name }),
    ...(events === undefined ? {} : { events: [...new Set(events)] }),
    ...(projectIds === undefined ? {} : { projectIds }),
    ...(target.value.shownUrl === null ? {} : { shownUrl: target.value.shownUrl }),
    ...stateChanges(webhook, enabled),
  };
  const audited = { ...differences(webhook, changes), ...target.value.changes };
  if (Object.keys(audited).length === 0) return succeed(webhookView(webhook));
  const changed = { ...webhook, ...changes };
  const records = webhookWrites(context, "webhook.updated", changed, audited);
  if (!(await changeWebhook(context.rows, id, changes, records))) return notFound("webhook");
  announceLater(context);
  return succeed(webhookView(changed));
}

async function refuseProjects(context: Context, projectIds: readonly ProjectId[] | null | undefined) {
  if (projectIds === undefined) return null;
  const excess = excessOver(context.permissions, { scopes: ["webhooks:write"], projectIds });
  if (excess !== null) return refuseExcess(excess, "webhooks");
  const unknown = projectIds === null ? [] : await unknownProjects(context.rows, projectIds);
  return unknown.length === 0 ? null : refuseUnknownProjects(projectIds ?? [], unknown);
}

/** @returns false: the address is lost */
async function switchOutlet(context: Context, webhook: WebhookReading, enabled: boolean): Promise<boolean> {
  const changes = differences(webhook, stateChanges(webhook, enabled));
  const by = Object.keys(changes).length === 0 ? null : switchOf(context, webhook, changes);
  return await outletOf(context, webhook.id).setEnabled(enabled, by, context.rows.projectIds);
}

/** @returns the new address as it is shown, and what changes for the audit log */
async function changeOutlet(
  context: Context,
  { id, shownUrl }: WebhookReading,
  { settings, projectIds }: OutletChanges,
): Promise<Result<{ shownUrl: string | null; changes: AuditChanges }, "invalid_request" | "not_found">> {
  const names = Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (names.length === 0 && projectIds === undefined) return succeed({ shownUrl: null, changes: {} });
  const changed = await outletOf(context, id).change({ settings, projectIds }, context.rows.projectIds);
  if (changed === null) return refuseLostTarget();
  if (!changed.ok) {
    const { field, message } = changed;
    return refuse("invalid_request", `${field} ${message}.`, [{ pointer: `/${field}`, message }]);
  }
  if (names.length === 0) return succeed({ shownUrl: null, changes: {} });
  const { shown } = changed;
  // Compared with what D1 has: the object may have the new address from a request that did not reach D1.
  const changes: AuditChanges = shown === shownUrl ? {} : { url: { before: shownUrl, after: shown } };
  // Only the names of other settings, and of an address that is shown as before: their values may be secrets.
  for (const name of names) changes[name] ??= { before: null, after: "changed" };
  return succeed({ shownUrl: shown, changes });
}

/** Enabling and disabling end what was known of the target's failures. */
function stateChanges({ state }: WebhookReading, enabled: boolean | undefined): WebhookChanges {
  if (enabled === undefined || enabled === (state !== "disabled")) return {};
  return { state: enabled ? "active" : "disabled", disabledReason: null, failingSince: null };
}

/** What changes, for the audit log. */
function differences(
  before: WebhookReading,
  { name, events, projectIds, state }: WebhookChanges,
): AuditChanges {
  const fields = {
    name: [before.name, name],
    events: [before.events, events],
    project_ids: [before.projectIds, projectIds],
    enabled: [before.state !== "disabled", state === undefined ? undefined : state !== "disabled"],
  };
  const changed = Object.entries(fields).filter(
    ([, [old, value]]) => value !== undefined && JSON.stringify(old) !== JSON.stringify(value),
  );
  return Object.fromEntries(changed.map(([field, [old, value]]) => [field, { before: old, after: value }]));
}
