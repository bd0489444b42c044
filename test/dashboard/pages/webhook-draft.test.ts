import { describe, expect, it } from "vitest";

import { defaultEvents } from "#contract/endpoints/webhooks/default-events.ts";
import { WebhookKind } from "#contract/endpoints/webhooks/kinds.ts";
import {
  CreateWebhookInput,
  UpdateWebhookInput,
  type WebhookDetails,
} from "#contract/endpoints/webhooks/schemas.ts";
import { WebhookId } from "#contract/ids.ts";
import {
  draftOfWebhook,
  newWebhook,
  webhookChanges,
  type WebhookDraft,
  webhookInput,
} from "#dashboard/pages/webhooks/webhook-draft.ts";
import { readForm } from "#dashboard/text/field-errors.ts";

const filled: WebhookDraft = {
  ...newWebhook,
  name: " ops ",
  url: " https://example.com/hook ",
  topic: "gantry-7Qx",
  to: "ops@example.com",
  token: "a-token",
};

describe("the form for changes of a webhook", () => {
  const none = { headers: null, only_recoveries: null, forge: null, api_url: null } as const;
  const details: WebhookDetails = {
    id: WebhookId.parse(`whk_${"0".repeat(26)}`),
    kind: "slack",
    name: "ops",
    url: "https://hooks.slack.com/…",
    events: [...defaultEvents.slack],
    project_ids: null,
    state: "active",
    created_at: "2026-11-20T09:14:02.355Z",
    ...{ disabled_reason: null, failing_since: null, previous_secret_expires_at: null },
    ...{ pending: 0, held: 0, last_attempt: null },
    settings: { ...none, only_recoveries: true, statuses: null, deployments: null, environment: null },
  };
  const changed = (of: WebhookDetails, part: Partial<WebhookDraft>) => {
    const before = draftOfWebhook(WebhookKind.parse(of.kind), of);
    return UpdateWebhookInput.parse(webhookChanges(before, { ...before, ...part }));
  };

  it("sends only what was changed", () => {
    expect(changed(details, {})).toEqual({});
    expect(changed(details, { url: "https://hooks.slack.com/new", tellsAll: true })).toEqual({
      url: "https://hooks.slack.com/new",
      only_recoveries: false,
    });
    expect(changed(details, { events: ["server.*"], name: "Ops " })).toEqual({
      events: ["server.*"],
      name: "Ops",
    });
  });

  it("sends the usual events if they are chosen again", () => {
    const some = { ...details, events: ["server.*"] };
    expect(changed(some, { events: null })).toEqual({ events: defaultEvents.slack });
  });

  it("removes what was emptied", () => {
    const settings = { ...none, forge: "github", api_url: "https://git.test", statuses: true } as const;
    const status: WebhookDetails = {
      ...details,
      kind: "commit_status",
      events: ["deployment.*"],
      settings: { ...settings, deployments: true, environment: "live" },
    };
    expect(changed(status, { api_url: "", environment: " " })).toEqual({ api_url: null, environment: null });
    expect(changed(status, { deployments: false })).toEqual({ deployments: false });
  });
});

describe("the form for a webhook", () => {
  it.each(WebhookKind.options)("sends what a webhook of the kind %s needs", (kind) => {
    const input = webhookInput({ ...filled, kind });
    expect(readForm(CreateWebhookInput, input)).toMatchObject({ ok: true, value: { kind, name: "ops" } });
  });

  it("names the fields that are missing", () => {
    const input = webhookInput({ ...newWebhook, events: [], projectIds: [] });
    expect(readForm(CreateWebhookInput, input).errors).toMatchObject({
      url: expect.stringContaining("https://example.com/path"),
      events: "Required.",
      project_ids: "Required.",
    });
  });

  it("leaves out what was typed for another kind", () => {
    expect(webhookInput({ ...filled, kind: "standard" })).toEqual({
      ...{ kind: "standard", name: "ops", url: "https://example.com/hook", project_ids: null },
    });
    const status = { ...filled, kind: "commit_status", deployments: true, environment: "live" } as const;
    expect(webhookInput(status)).toMatchObject({ deployments: true, environment: "live" });
    expect(webhookInput({ ...status, forge: "gitlab" })).not.toHaveProperty("deployments");
  });
});
