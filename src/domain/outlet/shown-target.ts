import { addressOf } from "#contract/addresses/web-address.ts";
import type { ShownSettings } from "#contract/endpoints/webhooks/schemas.ts";
import type { WebhookSettings } from "#contract/endpoints/webhooks/settings.ts";

/** How much of a secret address is shown, so that people can tell two of them apart. */
const SHOWN_END = 4;
const MAX_NAME = 100;
/** Shorter texts would hide ordinary words. */
const SHORTEST_SECRET = 6;

/** The target of a webhook as it is shown: the secret parts of its address are masked. */
export function shownTarget(settings: WebhookSettings): string {
  switch (settings.kind) {
    case "standard":
      return withoutSecrets(settings.url);
    case "slack":
    case "discord":
    case "teams":
      return `${addressOf(settings.url).origin}/…${settings.url.slice(-SHOWN_END)}`;
    case "ntfy":
      return `${addressOf(settings.url).origin}/…`;
    case "email":
      return settings.to;
    case "commit_status":
      return settings.api_url === null ? settings.forge : withoutSecrets(settings.api_url);
  }
}

/** The name of a webhook whose creation gives none. With the path, because a host has several targets. */
export function defaultName(settings: WebhookSettings): string {
  const shown = shownTarget(settings);
  const name = shown.replace(/^https?:\/\//, "").replace(/\?.*/, "");
  return (name.replace(/\/$/, "") || shown).slice(0, MAX_NAME);
}

/** Masks the secrets of a webhook's settings wherever a text repeats them, such as the answer of an echoing target. */
export function maskTarget(text: string, settings: WebhookSettings, signing: readonly string[]): string {
  return [...secretsOf(settings), ...signing]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length)
    .reduce((masked, secret) => masked.replaceAll(secret, "***"), text);
}

function secretsOf(settings: WebhookSettings): string[] {
  switch (settings.kind) {
    case "standard":
      return [...Object.values(settings.headers), ...secretsOfUrl(settings.url)];
    case "slack":
    case "discord":
    case "teams":
      return [
        settings.url,
        addressOf(settings.url).path + addressOf(settings.url).query,
        ...secretsOfUrl(settings.url),
      ];
    case "ntfy":
      return [settings.topic, settings.token ?? "", ...secretsOfUrl(settings.url)];
    case "email":
      return [];
    case "commit_status":
      return [settings.token, ...(settings.api_url === null ? [] : secretsOfUrl(settings.api_url))];
  }
}

function withoutSecrets(url: string): string {
  const { origin, path, query } = addressOf(url);
  return `${origin}${path}${query.replace(/=[^&]*/g, "=***")}`;
}

/** The values of an address's query. */
function secretsOfUrl(url: string): string[] {
  const { query } = addressOf(url);
  return query.split("&").map((part) => part.slice(part.indexOf("=") + 1));
}

/** The settings that are not secret. */
export function shownSettings(settings: WebhookSettings): ShownSettings {
  const isStatus = settings.kind === "commit_status";
  const { api_url = null } = isStatus ? settings : {};
  return {
    headers: settings.kind === "standard" ? Object.keys(settings.headers) : null,
    only_recoveries: "only_recoveries" in settings ? settings.only_recoveries : null,
    forge: isStatus ? settings.forge : null,
    api_url: api_url === null ? null : withoutSecrets(api_url),
    statuses: isStatus ? settings.statuses : null,
    deployments: isStatus ? settings.deployments : null,
    environment: isStatus ? settings.environment : null,
  };
}
