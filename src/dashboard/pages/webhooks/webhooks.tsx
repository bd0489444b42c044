import { useState } from "preact/hooks";

import { webhookEndpoints } from "#contract/endpoints/webhooks/endpoints.ts";
import type { WebhookWithSecret } from "#contract/endpoints/webhooks/schemas.ts";
import { textOf } from "#contract/growing.ts";
import { ALL, useAllowed } from "#dashboard/data/resources.ts";
import { useWebhooks } from "#dashboard/pages/webhooks/webhook-resources.ts";
import { CreateWebhook } from "#dashboard/pages/webhooks/create-webhook.tsx";
import { WebhookRow } from "#dashboard/pages/webhooks/webhook-row.tsx";
import { WebhookSecret } from "#dashboard/pages/webhooks/webhook-secret.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { EmptyState } from "#dashboard/shared/empty-state.tsx";
import { Find, matches } from "#dashboard/shared/find.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { kindLabels } from "#dashboard/pages/webhooks/webhook-texts.ts";

/** All webhooks with their deliveries, and a dialog that creates one. */
export function Webhooks() {
  const webhooks = useWebhooks(ALL);
  const mayCreate = useAllowed(webhookEndpoints.createWebhook);
  const [isCreating, setIsCreating] = useState(false);
  const [query, setQuery] = useState("");
  const [shown, setShown] = useState<WebhookWithSecret | null>(null);
  const show = (webhook: WebhookWithSecret) => {
    setIsCreating(false);
    if (webhook.secret !== null) setShown(webhook);
    void webhooks.reload();
  };
  return (
    <Page
      title="Webhooks"
      actions={
        mayCreate ? (
          <Button variant="primary" onClick={() => setIsCreating(true)}>
            Create a webhook
          </Button>
        ) : null
      }
    >
      <Show of={webhooks} what="the webhooks">
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title="No webhooks yet">
              A webhook tells a program, a chat or the git host about your deployments.{" "}
              {mayCreate ? "Create one, then send a test event." : "An admin can create one."}
            </EmptyState>
          ) : (
            <>
              <Find what="webhook" count={rows.length} query={query} onInput={setQuery} />
              <ul class="records">
                {rows
                  .filter(({ name, kind, url }) =>
                    matches(`${name} ${textOf(kindLabels, kind)} ${url}`, query),
                  )
                  .map((webhook) => (
                    <li key={webhook.id} class="record">
                      <WebhookRow webhook={webhook} onRotated={show} reload={webhooks.reload} />
                    </li>
                  ))}
              </ul>
            </>
          )
        }
      </Show>
      {isCreating ? <CreateWebhook onCreated={show} onClose={() => setIsCreating(false)} /> : null}
      {shown === null ? null : (
        <WebhookSecret name={shown.name} secret={shown.secret ?? ""} onClose={() => setShown(null)} />
      )}
    </Page>
  );
}
