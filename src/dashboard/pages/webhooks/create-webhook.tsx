import { useState } from "preact/hooks";

import { EventPattern } from "#contract/endpoints/events/patterns.ts";
import { WebhookKind } from "#contract/endpoints/webhooks/kinds.ts";
import { CreateWebhookInput, type WebhookWithSecret } from "#contract/endpoints/webhooks/schemas.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { webhookApi } from "#dashboard/data/webhook-resources.ts";
import { TargetFields } from "#dashboard/pages/webhooks/target-fields.tsx";
import { newWebhook, type WebhookDraft, webhookInput } from "#dashboard/pages/webhooks/webhook-draft.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Checks } from "#dashboard/shared/checks.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Choice, Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { ProjectLimit } from "#dashboard/shared/project-limit.tsx";
import { errorsOf } from "#dashboard/text/field-errors.ts";
import { kindHints, kindLabels } from "#dashboard/text/webhook-texts.ts";

type Props = {
  readonly onCreated: (webhook: WebhookWithSecret) => void;
  readonly onClose: () => void;
};

/** A form for a new webhook: what it is for, its target, its events and projects. */
export function CreateWebhook({ onCreated, onClose }: Props) {
  const [draft, setDraft] = useState(newWebhook);
  const [hasTried, setHasTried] = useState(false);
  const creating = useAction((body: CreateWebhookInput) => webhookApi.createWebhook({ body }));
  const parsed = CreateWebhookInput.safeParse(webhookInput(draft));
  const errors = hasTried && !parsed.success ? errorsOf(parsed.error) : {};
  const change = (part: Partial<WebhookDraft>) => setDraft((before) => ({ ...before, ...part }));
  const create = async () => {
    setHasTried(true);
    const created = parsed.success ? await creating.run(parsed.data) : null;
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
        <TargetFields draft={draft} change={change} errors={errors} />
        <Field
          label="Name"
          value={draft.name}
          onInput={(name) => change({ name })}
          placeholder="the host of the target"
          error={errors["name"] ?? null}
        />
        {kind === "commit_status" ? null : <Events draft={draft} change={change} errors={errors} />}
        <ProjectLimit
          label="Of which projects"
          chosen={draft.projectIds}
          onChange={(projectIds) => change({ projectIds })}
          error={errors["project_ids"] ?? null}
        />
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

const patterns = EventPattern.options
  .filter((pattern) => pattern !== "*")
  .map((value) => ({ value, label: value }));

type EventsProps = {
  readonly draft: WebhookDraft;
  readonly change: (part: Partial<WebhookDraft>) => void;
  readonly errors: Readonly<Record<string, string>>;
};

function Events({ draft: { kind, events, tellsAll }, change, errors }: EventsProps) {
  const isForPeople = kind !== "standard";
  return (
    <>
      <Choice
        label="Events"
        value={events === null ? "usual" : "some"}
        onChange={(chosen) => change({ events: chosen === "some" ? [] : null })}
      >
        <option value="usual">
          {isForPeople ? "Failures, recoveries and offline servers" : "All events"}
        </option>
        <option value="some">Only selected types</option>
      </Choice>
      {events === null ? null : (
        <Checks
          legend="Types"
          options={patterns}
          chosen={events}
          onChange={(chosen) => change({ events: chosen })}
          error={errors["events"] === undefined ? null : "Choose at least one."}
          isLong
        />
      )}
      {isForPeople && events !== null ? (
        <label class="check">
          <input
            type="checkbox"
            checked={tellsAll}
            onChange={(event) => change({ tellsAll: event.currentTarget.checked })}
          />
          Every live deployment, not only those after a failed one
        </label>
      ) : null}
    </>
  );
}
