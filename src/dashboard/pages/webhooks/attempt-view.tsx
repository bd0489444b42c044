import type { DeliveryAttempt } from "#contract/endpoints/webhooks/schemas.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import { attemptText } from "#dashboard/pages/webhooks/webhook-texts.ts";

/** A request to a target: its status, its time, and the beginning of the answer. */
export function AttemptView({ attempt }: { readonly attempt: DeliveryAttempt }) {
  const { answer } = attempt;
  return (
    <>
      <p>{withHiddenShown(attemptText(attempt))}</p>
      {answer === "" ? null : (
        <pre class="answer" tabIndex={0} aria-label="Answer">
          {withHiddenShown(answer)}
        </pre>
      )}
    </>
  );
}
