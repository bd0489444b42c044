import { describe, expect, it } from "vitest";

import { WebhookKind } from "#contract/endpoints/webhooks/kinds.ts";
import { CreateWebhookInput } from "#contract/endpoints/webhooks/schemas.ts";
import { newWebhook, type WebhookDraft, webhookInput } from "#dashboard/pages/webhooks/webhook-draft.ts";
import { errorsOf } from "#dashboard/text/field-errors.ts";

const filled: WebhookDraft = {
  ...newWebhook,
  name: " ops ",
  url: " https://example.com/hook ",
  topic: "gantry-7Qx",
  to: "ops@example.com",
  token: "a-token",
};

describe("the form for a webhook", () => {
  it.each(WebhookKind.options)("sends what a webhook of the kind %s needs", (kind) => {
    const parsed = CreateWebhookInput.safeParse(webhookInput({ ...filled, kind }));
    expect(parsed.success ? parsed.data : errorsOf(parsed.error)).toMatchObject({ kind, name: "ops" });
  });

  it("names the fields that are missing", () => {
    const parsed = CreateWebhookInput.safeParse(webhookInput({ ...newWebhook, events: [], projectIds: [] }));
    expect(parsed.success ? {} : errorsOf(parsed.error)).toMatchObject({
      url: expect.stringContaining("https://example.com/webhooks"),
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
