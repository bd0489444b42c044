import { useState } from "preact/hooks";

import type { Delivery } from "#contract/endpoints/webhooks/schemas.ts";
import type { WebhookId } from "#contract/ids.ts";
import { textOf } from "#contract/growing.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { useDeliveries, webhookApi } from "#dashboard/pages/webhooks/webhook-resources.ts";
import { AttemptView } from "#dashboard/pages/webhooks/attempt-view.tsx";
import { ResendAll } from "#dashboard/pages/webhooks/resend-all.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { PagedList } from "#dashboard/shared/paged-list.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Ago, NextAt } from "#dashboard/shared/times.tsx";
import { deliveryClasses, deliveryLabels } from "#dashboard/pages/webhooks/webhook-texts.ts";

type Props = {
  readonly id: WebhookId;
  /** The token allows it, and the webhook is not disabled. */
  readonly mayResend: boolean;
};

/** The requests to a webhook's target and its answers, newest first. */
export function Deliveries({ id, mayResend }: Props) {
  const deliveries = useDeliveries(id);
  return (
    <PagedList
      of={deliveries}
      what="deliveries"
      rowsOf={(page) => page.deliveries}
      keyOf={(row) => row.event_id}
      readOlder={(cursor) => webhookApi.listDeliveries({ params: { webhook_id: id }, query: { cursor } })}
    >
      {(rows) =>
        rows.length === 0 ? (
          <p class="quiet">Nothing has been sent yet. Test it, or deploy a project.</p>
        ) : (
          <>
            {mayResend ? <ResendAll id={id} reload={deliveries.reload} /> : null}
            <ul class="records" aria-label="Deliveries">
              {rows.map((row) => (
                <DeliveryRow
                  key={row.event_id}
                  id={id}
                  delivery={row}
                  mayResend={mayResend}
                  reload={deliveries.reload}
                />
              ))}
            </ul>
          </>
        )
      }
    </PagedList>
  );
}

type RowProps = Props & { readonly delivery: Delivery; readonly reload: () => Promise<void> };

function DeliveryRow({ id, delivery, mayResend, reload }: RowProps) {
  const { event_id: eventId, event_type: type, state, attempt_count: count, attempts } = delivery;
  const [isOpen, setIsOpen] = useState(false);
  const last = attempts.at(-1);
  const resending = useAction(() =>
    webhookApi.resendDelivery({ params: { webhook_id: id, event_id: eventId }, body: {} }),
  );
  const resend = async () => {
    await resending.run();
    await reload();
  };
  const isWaiting = state === "pending" || state === "sending";
  return (
    <li class="record">
      <div class="line">
        <span class={`status ${textOf(deliveryClasses, state)}`}>{textOf(deliveryLabels, state)}</span>
        <code class="title">{type}</code>
        <span class="quiet when">
          {last === undefined ? null : `${last.status ?? "no answer"}, `}
          <Ago time={delivery.created_at} />
        </span>
        {attempts.length === 0 ? null : (
          <Button
            variant="subtle"
            label={`${isOpen ? "Hide" : "Details"} of ${type}`}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? "Hide" : "Details"}
          </Button>
        )}
        {mayResend && !isWaiting ? (
          <Button
            variant="subtle"
            label={`Send again: ${type}`}
            onClick={resend}
            isBusy={resending.isRunning}
          >
            Send again
          </Button>
        ) : null}
      </div>
      <NextAttempt delivery={delivery} />
      <ProblemBox problem={resending.problem} doing="Sending again" />
      {isOpen ? (
        <>
          {count > attempts.length ? <p class="quiet">The last of {count} attempts:</p> : null}
          <ol>
            {attempts.map((attempt) => (
              <li key={attempt.at}>
                <span class="quiet">
                  <Ago time={attempt.at} />
                </span>
                <AttemptView attempt={attempt} />
              </li>
            ))}
          </ol>
        </>
      ) : null}
    </li>
  );
}

function NextAttempt({ delivery }: { readonly delivery: Delivery }) {
  const { state, next_attempt_at: next, attempt_count: count } = delivery;
  if (state !== "pending" || next === null || count === 0) return null;
  return (
    <p class="quiet">
      {count === 1 ? "One attempt has" : `${count} attempts have`} failed, the next is <NextAt time={next} />.
    </p>
  );
}
