import type { UpdateWebhookInput } from "#contract/endpoints/webhooks/schemas.ts";
import { WebhookSettings } from "#contract/endpoints/webhooks/settings.ts";
import type { ResultOf } from "#contract/lib/result.ts";
import { succeed } from "#contract/problems.ts";

/** New values of settings. Omitted ones stay as they are. */
export type SettingChanges = Omit<UpdateWebhookInput, "name" | "events" | "project_ids" | "enabled">;

/**
 * Changes the settings of a webhook's kind, unless the kind does not have one of them, or not with such a value. A new
 * address needs the secrets again: a person who may change a webhook may not read them, and must not have them sent to an
 * address of their own. Another path can be one, because many receivers share a host, such as hooks.zapier.com.
 */
export function changeSettings(
  settings: WebhookSettings,
  changes: SettingChanges,
): ResultOf<WebhookSettings, { readonly field: string; readonly message: string }> {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const unknown = given.find(([field]) => !Object.hasOwn(settings, field));
  if (unknown !== undefined)
    return {
      ok: false,
      field: unknown[0],
      message: `is not a setting of a webhook of the kind ${settings.kind}`,
    };
  const changed = WebhookSettings.safeParse({ ...settings, ...Object.fromEntries(given) });
  if (changed.success) return secretsLeftBehind(settings, changed.data, changes) ?? succeed(changed.data);
  const field = String(changed.error.issues[0]?.path[0] ?? "kind");
  return { ok: false, field, message: `must not have this value in a webhook of the kind ${settings.kind}` };
}

/** The settings that are sent to the address, and that its reader must not know. */
const SECRETS = ["token", "topic", "headers"] as const;

function secretsLeftBehind(before: WebhookSettings, after: WebhookSettings, changes: SettingChanges) {
  // Both are stored in the canonical form of `WebAddress`.
  const from = addressIn(before);
  const to = addressIn(after);
  if (from === null || to === null || from.url === to.url) return null;
  const known: Readonly<Record<string, unknown>> = before;
  const kept = SECRETS.find((name) => changes[name] === undefined && isSecret(known[name]));
  if (kept === undefined) return null;
  const message = `is another address: send ${kept} too, because the stored one belongs to the earlier address`;
  return { ok: false, field: to.field, message } as const;
}

/** The address that the secrets are sent to, and its field; null for a kind without one. `url`: null: the forge's public one. */
function addressIn(settings: WebhookSettings) {
  switch (settings.kind) {
    case "standard":
    case "slack":
    case "discord":
    case "teams":
    case "ntfy":
      return { field: "url", url: settings.url };
    case "commit_status":
      return { field: "api_url", url: settings.api_url };
    case "email":
      return null;
  }
}

function isSecret(value: unknown): boolean {
  return typeof value === "object" && value !== null
    ? Object.keys(value).length > 0
    : typeof value === "string";
}
