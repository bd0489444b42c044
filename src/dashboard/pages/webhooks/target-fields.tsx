import type { VNode } from "preact";

import { forgeNames } from "#contract/endpoints/hooks/forge-names.ts";
import { StatusForge } from "#contract/endpoints/webhooks/settings.ts";
import type { WebhookDraft } from "#dashboard/pages/webhooks/webhook-draft.ts";
import { Choice, Field, type FieldProps } from "#dashboard/shared/field.tsx";

export type WebhookFieldsProps = {
  readonly draft: WebhookDraft;
  readonly change: (part: Partial<WebhookDraft>) => void;
  readonly errors: Readonly<Record<string, string>>;
  /** Whether the webhook is new. Otherwise an empty secret field keeps the stored secret. */
  readonly isNew: boolean;
};

type TextName = "url" | "topic" | "token" | "to" | "api_url" | "environment";

/** These are secrets, which the API does not return. */
const SECRETS: readonly TextName[] = ["url", "topic", "token", "to"];

/** The fields for the target of a webhook, which depend on its kind. */
export function TargetFields({ draft, change, errors, isNew }: WebhookFieldsProps) {
  const { kind } = draft;
  const isKept = (name: TextName) => !isNew && SECRETS.includes(name);
  const field = (name: TextName, label: string, more: Partial<FieldProps> = {}) => (
    <Field
      label={label}
      value={draft[name]}
      onInput={(value) => change({ [name]: value })}
      isCode
      error={errors[name] ?? null}
      {...more}
      {...(isKept(name) ? { placeholder: "unchanged", hint: "Leave empty to keep it." } : {})}
    />
  );
  switch (kind) {
    case "standard":
      return field("url", "Address", { placeholder: "https://example.com/webhooks" });
    case "slack":
      return field("url", "Address", { placeholder: "https://hooks.slack.com/services/…" });
    case "discord":
      return field("url", "Address", { placeholder: "https://discord.com/api/webhooks/…" });
    case "teams":
      return field("url", "Address", { placeholder: "https://….logic.azure.com/workflows/…" });
    case "ntfy":
      return (
        <>
          {field("url", "Address of the ntfy server", { placeholder: "https://ntfy.sh" })}
          {field("topic", "Topic")}
          {field("token", "Access token", { type: "password", placeholder: "none" })}
        </>
      );
    case "email":
      return field("to", "E-mail address", { placeholder: "ops@example.com" });
    case "commit_status":
      return <StatusFields draft={draft} change={change} field={field} isNew={isNew} />;
  }
}

type StatusProps = Pick<WebhookFieldsProps, "draft" | "change"> & {
  readonly isNew: boolean;
  readonly field: (name: TextName, label: string, more?: Partial<FieldProps>) => VNode;
};

function StatusFields({ draft: { forge, statuses, deployments }, change, field, isNew }: StatusProps) {
  return (
    <>
      {isNew ? (
        <Choice label="Git host" value={forge} onChange={(chosen) => change({ forge: chosen })}>
          {StatusForge.options.map((option) => (
            <option key={option} value={option}>
              {forgeNames[option]}
            </option>
          ))}
        </Choice>
      ) : null}
      {field("token", "Access token of the git host", {
        type: "password",
        hint: "With the permission to set the status of commits.",
      })}
      {field("api_url", "Address of your own git host", { placeholder: "none: the public one" })}
      {forge === "github" ? (
        <>
          <label class="check">
            <input
              type="checkbox"
              checked={statuses}
              onChange={(event) => change({ statuses: event.currentTarget.checked })}
            />
            Set the status of commits
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={deployments}
              onChange={(event) => change({ deployments: event.currentTarget.checked })}
            />
            Create deployments and environments
          </label>
          {deployments ? field("environment", "Environment", { placeholder: "the project's name" }) : null}
        </>
      ) : null}
    </>
  );
}
