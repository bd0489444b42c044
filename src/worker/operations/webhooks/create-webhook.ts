import { defaultEvents } from "#contract/endpoints/webhooks/default-events.ts";
import type { CreateWebhookInput, WebhookWithSecret } from "#contract/endpoints/webhooks/schemas.ts";
import type { WebhookId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { defaultName, shownTarget } from "#domain/outlet/shown-target.ts";
import { excessOver } from "#domain/token-grant.ts";
import type { Context } from "#worker/context.ts";
import { insertWebhook, MAX_WEBHOOKS, type WebhookReading } from "#worker/db/webhooks/webhook-records.ts";
import { logFailure } from "#worker/log-failure.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { refuseExcess, refuseUnknownProjects, tooMany } from "#worker/operations/refusals.ts";
import { newWebhookSecret } from "#worker/operations/webhooks/new-webhook-secret.ts";
import { refuseTargets } from "#worker/operations/webhooks/refuse-targets.ts";
import { outletOf, webhookWrites } from "#worker/operations/webhooks/webhook-request.ts";
import { webhookView } from "#worker/views/webhook-view.ts";

/**
 * Creates a webhook. Its object gets the address and the secret before D1 has the row, so that no webhook is ever without
 * them; without the row it removes itself. A retry with the same Idempotency-Key has the same id and secret.
 */
export async function createWebhook(
  context: Context,
  input: CreateWebhookInput,
): Promise<Result<WebhookWithSecret, "insufficient_scope" | "invalid_request" | "too_many">> {
  const { name, events, project_ids: given, ...settings } = input;
  const projectIds = given === null ? null : [...new Set(given)];
  const excess = excessOver(context.token, { scopes: [], projectIds });
  if (excess !== null) return refuseExcess(excess, "webhooks");
  const wrongTarget = refuseTargets(context, settings);
  if (wrongTarget !== null) return wrongTarget;
  const { account, clock, origin } = context;
  const webhook: WebhookReading = {
    id: context.ids.webhook(),
    kind: settings.kind,
    name: name ?? defaultName(settings),
    shownUrl: shownTarget(settings),
    events: [...new Set(events ?? defaultEvents[settings.kind])],
    projectIds,
    state: "active",
    disabledReason: null,
    failingSince: null,
    createdAt: clock.now(),
  };
  const secret = settings.kind === "standard" ? newWebhookSecret(context) : null;
  const target = { accountId: account.id, webhookId: webhook.id, settings, origin, createdAt: clock.now() };
  await outletOf(context, webhook.id).create(target, secret, projectIds);
  const records = webhookWrites(context, "webhook.created", webhook);
  const insertion = await insertWebhook(context.rows, webhook, records);
  if (insertion.outcome !== "inserted") await removeOutlet(context, webhook.id);
  switch (insertion.outcome) {
    case "inserted":
      announceLater(context);
      return succeed({ ...webhookView(insertion.webhook), secret });
    case "no_such_projects":
      return refuseUnknownProjects(given ?? [], insertion.projectIds);
    case "too_many":
      return tooMany("webhooks", "Delete some.", MAX_WEBHOOKS);
  }
}

async function removeOutlet(context: Context, id: WebhookId): Promise<void> {
  try {
    const outlet = outletOf(context, id);
    await outlet.retire();
    await outlet.compare();
  } catch (error) {
    logFailure("create webhook", { webhook_id: id }, error);
  }
}
