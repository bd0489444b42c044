import { useState } from "preact/hooks";

import { WebhookKind } from "#contract/endpoints/webhooks/kinds.ts";
import type {
  Webhook,
  WebhookDetails,
  WebhookTest,
  WebhookWithSecret,
} from "#contract/endpoints/webhooks/schemas.ts";
import { webhookApi } from "#dashboard/pages/webhooks/webhook-resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { AttemptView } from "#dashboard/pages/webhooks/attempt-view.tsx";
import { EditWebhook } from "#dashboard/pages/webhooks/edit-webhook.tsx";
import { Menu, type MenuItem } from "#dashboard/shared/menu.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { RemovalDialog } from "#dashboard/shared/removal-dialog.tsx";

type Props = {
  readonly webhook: Webhook;
  readonly onRotated: (webhook: WebhookWithSecret) => void;
  readonly reload: () => Promise<void>;
};

/** Tests, edits, enables, disables, rotates and deletes a webhook. */
export function WebhookActions({ webhook: { id, name, kind, state }, onRotated, reload }: Props) {
  const params = { webhook_id: id };
  const [tested, setTested] = useState<WebhookTest | null>(null);
  const [isDeleting, setIsDeleting] = useState(false);
  const [edited, setEdited] = useState<WebhookDetails | null>(null);
  const reading = useAction(() => webhookApi.getWebhook({ params }));
  const testing = useAction(() => webhookApi.testWebhook({ params, body: {} }));
  const rotating = useAction(() => webhookApi.rotateWebhook({ params, body: {} }));
  const switching = useAction((enabled: boolean) => webhookApi.updateWebhook({ params, body: { enabled } }));
  const test = async () => {
    setTested((await testing.run())?.value ?? null);
    await reload();
  };
  const rotate = async () => {
    const rotated = await rotating.run();
    if (rotated !== null) onRotated(rotated.value);
  };
  const enable = async (enabled: boolean) => {
    await switching.run(enabled);
    await reload();
  };
  const edit = async () => setEdited((await reading.run())?.value ?? null);
  // The form does not have the settings of a kind that a newer control plane has added.
  const known = WebhookKind.safeParse(kind).data ?? null;
  const isDisabled = state === "disabled";
  const items: readonly MenuItem[] = [
    { label: "Test", onSelect: test },
    ...(known === null ? [] : [{ label: "Edit", onSelect: edit }]),
    ...(kind === "standard" ? [{ label: "Rotate the secret", onSelect: rotate }] : []),
    isDisabled
      ? { label: "Enable", onSelect: () => enable(true) }
      : { label: "Disable", onSelect: () => enable(false) },
    { label: "Delete", onSelect: () => setIsDeleting(true), isDanger: true },
  ];
  return (
    <>
      <Menu
        label={`Actions for ${name}`}
        items={items}
        isBusy={testing.isRunning || reading.isRunning || rotating.isRunning || switching.isRunning}
      />
      <ProblemBox problem={testing.problem} doing="The test" />
      <ProblemBox problem={reading.problem} doing="Loading the webhook" />
      <ProblemBox problem={rotating.problem} doing="Rotating the secret" />
      <ProblemBox problem={switching.problem} doing={isDisabled ? "Enabling" : "Disabling"} />
      {tested === null ? null : <TestResult test={tested} />}
      {edited === null || known === null ? null : (
        <EditWebhook
          kind={known}
          webhook={edited}
          onSaved={() => {
            setEdited(null);
            void reload();
          }}
          onClose={() => setEdited(null)}
        />
      )}
      {isDeleting ? (
        <RemovalDialog
          title={`Delete ${name}`}
          remove={() => webhookApi.deleteWebhook({ params })}
          onClose={() => setIsDeleting(false)}
          onRemoved={reload}
        >
          <p>Its target gets no more events, and its deliveries are deleted. This cannot be undone.</p>
        </RemovalDialog>
      ) : null}
    </>
  );
}

function TestResult({ test: { delivered, attempt, hint } }: { readonly test: WebhookTest }) {
  return (
    <div class={delivered ? "notice tested" : "problem tested"} role="status">
      <p>
        <strong>{delivered ? "The target accepted the test." : "The target did not accept the test."}</strong>{" "}
        {hint}
      </p>
      <AttemptView attempt={attempt} />
    </div>
  );
}
