import type { ProjectId } from "#contract/ids.ts";
import type { EventPattern } from "#contract/endpoints/events/patterns.ts";
import type { WebhookKind } from "#contract/endpoints/webhooks/kinds.ts";

/** What the form for a new webhook holds. Only the fields of its kind are sent. */
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
  /** null: what is usual for the kind. */
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
