import { defaultEvents } from "#contract/endpoints/webhooks/default-events.ts";
import type { CreateWebhookInput, WebhookWithSecret } from "#contract/endpoints/webhooks/schemas.ts";
import type { WebhookId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { formWebhookSecret } from "#sealing/standard-webhook.ts";
import { defaultName, shownTarget } from "#domain/outlet/shown-target.ts";
import { excessOver } from "#domain/token-grant.ts";
import type { Context } from "#worker/context.ts";
import { findWebhook, type WebhookReading } from "#worker/db/webhooks/webhook-records.ts";
import {
  deleteWebhook as removeWebhook,
  insertWebhook,
  MAX_WEBHOOKS,
} from "#worker/db/webhooks/webhook-changes.ts";
import { logFailure } from "#worker/log-failure.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { notFound, tooMany } from "#worker/operations/refusals.ts";
import { refuseExcess, refuseUnknownProjects } from "#worker/operations/tokens/grant-refusals.ts";
import {
  outletOf,
  recordRequest,
  refuseLostTarget,
  webhookWrites,
} from "#worker/operations/webhooks/webhook-request.ts";
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
  const excess = excessOver(context.permissions, { scopes: ["webhooks:write"], projectIds });
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

/** Gives a webhook a new secret. For a day deliveries are signed with the earlier ones too. */
export async function rotateWebhook(
  context: Context,
  id: WebhookId,
): Promise<Result<WebhookWithSecret, "invalid_request" | "not_found">> {
  const webhook = await findWebhook(context.rows, id);
  if (webhook === null) return notFound("webhook");
  if (webhook.kind !== "standard")
    return refuse(
      "invalid_request",
      `A webhook of the kind ${webhook.kind} does not sign, so it has no secret to rotate.`,
    );
  const secret = newWebhookSecret(context);
  if (!(await outletOf(context, id).rotate(secret, context.rows.projectIds))) return refuseLostTarget();
  await recordRequest(context, webhook);
  return succeed({ ...webhookView(webhook), secret });
}

/** Deletes a webhook with its address, its secrets and its deliveries. What waits is not sent. */
export async function deleteWebhook(context: Context, id: WebhookId): Promise<Result<null, "not_found">> {
  const webhook = await findWebhook(context.rows, id);
  if (webhook === null) return notFound("webhook");
  const outlet = outletOf(context, id);
  // So that it stops sending and removes itself, also if the call of `compare` below never happens.
  await outlet.retire();
  const records = webhookWrites(context, "webhook.deleted", webhook);
  if (!(await removeWebhook(context.rows, id, records))) return notFound("webhook");
  announceLater(context);
  try {
    await outlet.compare();
  } catch (error) {
    logFailure("delete webhook", { webhook_id: id }, error);
  }
  return succeed(null);
}

const SECRET_BYTES = 32;

/** Creates a secret that signs deliveries. Only the webhook's object stores it. */
function newWebhookSecret({ randomBytes }: Pick<Context, "randomBytes">): string {
  return formWebhookSecret(randomBytes(SECRET_BYTES));
}

type Addresses = {
  readonly url?: string | undefined;
  readonly api_url?: string | null | undefined;
  readonly to?: string | undefined;
};

/** Refuses settings with an address that must not be a target; null if there is none. */
export function refuseTargets(
  { targetProblem }: Pick<Context, "targetProblem">,
  settings: Addresses | object,
) {
  const { url, api_url: apiUrl, to }: Addresses = settings;
  const addresses = { url, api_url: apiUrl, to: to === undefined ? undefined : `mailto:${to}` };
  const errors = Object.entries(addresses).flatMap(([field, address]) => {
    const problem = typeof address === "string" ? targetProblem(address) : null;
    return problem === null ? [] : [{ pointer: `/${field}`, message: problem }];
  });
  const [first] = errors;
  return first === undefined ? null : refuse("invalid_request", first.message, errors);
}
