import { useState } from "preact/hooks";

import type { WebhookId } from "#contract/ids.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { webhookApi } from "#dashboard/pages/webhooks/webhook-resources.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Choice } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

const HOUR_MS = 60 * 60 * 1000;
/** The hours of each choice; null: all. */
const spans = new Map<string, number | null>([
  ["the last hour", 1],
  ["the last day", 24],
  ["the last week", 7 * 24],
  ["all time", null],
]);

type Props = { readonly id: WebhookId; readonly reload: () => Promise<void> };

/** Sends the failed and held deliveries again, such as after a failure of the target. */
export function ResendAll({ id, reload }: Props) {
  const [span, setSpan] = useState("the last day");
  const [resent, setResent] = useState<number | null>(null);
  const resending = useAction(() => {
    const hours = spans.get(span) ?? null;
    const since = hours === null ? {} : { since: new Date(Date.now() - hours * HOUR_MS).toISOString() };
    return webhookApi.resendDeliveries({ params: { webhook_id: id }, body: since });
  });
  const resend = async () => {
    setResent((await resending.run())?.value.resent ?? null);
    await reload();
  };
  return (
    <Form class="filters resend" onSubmit={resend}>
      <Choice label="Of" value={span} onChange={setSpan}>
        {[...spans.keys()].map((one) => (
          <option key={one}>{one}</option>
        ))}
      </Choice>
      <Button type="submit" isBusy={resending.isRunning}>
        Send failed and held ones again
      </Button>
      <span role="status" class="quiet">
        {resent === null ? "" : `${resent} will be sent again.`}
      </span>
      <ProblemBox problem={resending.problem} doing="Sending again" />
    </Form>
  );
}
