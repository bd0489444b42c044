import { useState } from "preact/hooks";

import { webhookEndpoints } from "#contract/endpoints/webhooks/endpoints.ts";
import { WebhookKind } from "#contract/endpoints/webhooks/kinds.ts";
import { CreateWebhookInput, type WebhookWithSecret } from "#contract/endpoints/webhooks/schemas.ts";
import { useReach } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { webhookApi } from "#dashboard/pages/webhooks/webhook-resources.ts";
import { newWebhook, type WebhookDraft, webhookInput } from "#dashboard/pages/webhooks/webhook-draft.ts";
import { WebhookFields } from "#dashboard/pages/webhooks/webhook-fields.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Choice } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";
import { kindHints, kindLabels } from "#dashboard/pages/webhooks/webhook-texts.ts";

type Props = {
  readonly onCreated: (webhook: WebhookWithSecret) => void;
  readonly onClose: () => void;
};

/** A form for a new webhook: its purpose, its target, its events and projects. */
export function CreateWebhook({ onCreated, onClose }: Props) {
  const within = useReach(webhookEndpoints.createWebhook);
  const [draft, setDraft] = useState({ ...newWebhook, projectIds: within });
  const creating = useAction((body: CreateWebhookInput) => webhookApi.createWebhook({ body }));
  const input = webhookInput(draft);
  const form = readForm(CreateWebhookInput, input);
  const { errors } = form;
  const change = (part: Partial<WebhookDraft>) => setDraft((before) => ({ ...before, ...part }));
  const create = async () => {
    const created = form.ok ? await creating.run(form.value) : null;
    if (created !== null) onCreated(created.value);
  };
  const { kind } = draft;
  return (
    <Dialog title="Create a webhook" onClose={onClose}>
      <Form onSubmit={create}>
        <Choice
          label="To"
          value={kind}
          onChange={(chosen) => change({ kind: WebhookKind.safeParse(chosen).data ?? kind })}
          hint={kindHints[kind]}
        >
          {WebhookKind.options.map((option) => (
            <option key={option} value={option}>
              {kindLabels[option]}
            </option>
          ))}
        </Choice>
        <WebhookFields draft={draft} change={change} errors={errors} isNew />
        <ProblemBox problem={creating.problem} doing="Creating the webhook" />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={creating.isRunning}>
            Create webhook
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
