import { useState } from "preact/hooks";

import { UpdateWebhookInput, type WebhookDetails } from "#contract/endpoints/webhooks/schemas.ts";
import type { WebhookKind } from "#contract/endpoints/webhooks/kinds.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { webhookApi } from "#dashboard/pages/webhooks/webhook-resources.ts";
import {
  draftOfWebhook,
  webhookChanges,
  type WebhookDraft,
} from "#dashboard/pages/webhooks/webhook-draft.ts";
import { WebhookFields } from "#dashboard/pages/webhooks/webhook-fields.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";
import { kindLabels } from "#dashboard/pages/webhooks/webhook-texts.ts";

type Props = {
  readonly kind: WebhookKind;
  readonly webhook: WebhookDetails;
  readonly onSaved: () => void;
  readonly onClose: () => void;
};

/** A form for changes of a webhook. Its kind stays, and only changed fields are sent. */
export function EditWebhook({ kind, webhook, onSaved, onClose }: Props) {
  const { id, name, url } = webhook;
  const [initial] = useState(() => draftOfWebhook(kind, webhook));
  const [draft, setDraft] = useState(initial);
  const saving = useAction((body: UpdateWebhookInput) =>
    webhookApi.updateWebhook({ params: { webhook_id: id }, body }),
  );
  const changes = webhookChanges(initial, draft);
  const form = readForm(UpdateWebhookInput, changes);
  const { errors } = form;
  const change = (part: Partial<WebhookDraft>) => setDraft((before) => ({ ...before, ...part }));
  const save = async () => {
    if (form.ok && (await saving.run(form.value)) !== null) onSaved();
  };
  return (
    <Dialog title={`Edit ${name}`} onClose={onClose}>
      <Form onSubmit={save}>
        <p>
          {kindLabels[kind]} <code>{url}</code>
        </p>
        <WebhookFields draft={draft} change={change} errors={errors} isNew={false} />
        <ProblemBox problem={saving.problem} doing="Saving the webhook" />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={saving.isRunning}>
            Save
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
