import type { ProjectId } from "#contract/ids.ts";
import { EventPattern } from "#contract/endpoints/events/patterns.ts";
import { defaultEvents } from "#contract/endpoints/webhooks/default-events.ts";
import type { WebhookKind } from "#contract/endpoints/webhooks/kinds.ts";
import type { WebhookDetails } from "#contract/endpoints/webhooks/schemas.ts";

/** What the form for a webhook holds. Only the fields of its kind are sent. */
export type WebhookDraft = {
  readonly kind: WebhookKind;
  readonly name: string;
  readonly url: string;
  readonly topic: string;
  readonly token: string;
  readonly to: string;
  readonly forge: string;
  readonly api_url: string;
  readonly environment: string;
  readonly statuses: boolean;
  readonly deployments: boolean;
  /** Report every live deployment, not only recoveries. */
  readonly tellsAll: boolean;
  /** null: the usual events of the kind. */
  readonly events: readonly EventPattern[] | null;
  /** null: all projects. */
  readonly projectIds: readonly ProjectId[] | null;
};

export const newWebhook: WebhookDraft = {
  kind: "standard",
  name: "",
  url: "",
  topic: "",
  token: "",
  to: "",
  forge: "github",
  api_url: "",
  environment: "",
  statuses: true,
  deployments: false,
  tellsAll: false,
  events: null,
  projectIds: null,
};

/** The draft for changes of a webhook. The secret parts of its target are empty: the page does not know them. */
export function draftOfWebhook(
  kind: WebhookKind,
  { name, events, project_ids, settings }: WebhookDetails,
): WebhookDraft {
  const patterns = events.flatMap((event) => EventPattern.safeParse(event).data ?? []);
  return {
    ...newWebhook,
    kind,
    name,
    forge: settings.forge ?? newWebhook.forge,
    api_url: settings.api_url ?? "",
    environment: settings.environment ?? "",
    statuses: settings.statuses ?? newWebhook.statuses,
    deployments: settings.deployments ?? newWebhook.deployments,
    tellsAll: settings.only_recoveries === false,
    events: isEqual(patterns, defaultEvents[kind]) ? null : patterns,
    projectIds: project_ids,
  };
}

/** What differs between two drafts of a webhook, not validated yet. */
export function webhookChanges(before: WebhookDraft, after: WebhookDraft): Record<string, unknown> {
  const old = changeable(before);
  return Object.fromEntries(
    Object.entries(changeable(after)).filter(([name, value]) => !isEqual(value, old[name])),
  );
}

function changeable(draft: WebhookDraft): Record<string, unknown> {
  const { kind, name, events, projectIds, api_url: api, environment } = draft;
  return {
    ...settingsOf(draft),
    ...(kind === "commit_status" ? { api_url: textOrNull(api), environment: textOrNull(environment) } : {}),
    name: name.trim(),
    events: events ?? defaultEvents[kind],
    project_ids: projectIds,
  };
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function textOrNull(text: string): string | null {
  return text.trim() === "" ? null : text.trim();
}

/** The body of the request that creates the webhook, not validated yet. */
export function webhookInput(draft: WebhookDraft): Record<string, unknown> {
  const { kind, name, events, projectIds } = draft;
  return {
    kind,
    ...settingsOf(draft),
    ...given("name", name),
    ...(events === null ? {} : { events }),
    project_ids: projectIds,
  };
}

function settingsOf(draft: WebhookDraft): Record<string, unknown> {
  const url = { url: draft.url.trim() };
  const forPeople = { only_recoveries: !draft.tellsAll };
  switch (draft.kind) {
    case "standard":
      return url;
    case "slack":
    case "discord":
    case "teams":
      return { ...url, ...forPeople };
    case "ntfy":
      return { ...url, topic: draft.topic.trim(), ...given("token", draft.token), ...forPeople };
    case "email":
      return { to: draft.to.trim(), ...forPeople };
    case "commit_status":
      return {
        forge: draft.forge,
        token: draft.token.trim(),
        ...given("api_url", draft.api_url),
        statuses: draft.statuses,
        // Only GitHub has them.
        ...(draft.forge === "github" ? { deployments: draft.deployments } : {}),
        ...(draft.forge === "github" && draft.deployments ? given("environment", draft.environment) : {}),
      };
  }
}

/** An optional field, omitted if it is empty. */
function given(name: string, text: string): Record<string, string> {
  return text.trim() === "" ? {} : { [name]: text.trim() };
}
