import { useState } from "preact/hooks";

import { endRecoveryHint, hasRecoveryHint } from "#dashboard/data/recovery-hint.ts";
import { ALL, useAccount } from "#dashboard/data/resources.ts";
import { session } from "#dashboard/data/session.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import { pathTo } from "#dashboard/router/route.ts";
import { Button } from "#dashboard/shared/button.tsx";

/** Suggests recovery codes to a person who has just created their first passkey, until they answer. */
export function RecoveryHint() {
  const { value: account } = useAccount(ALL);
  const state = useSignal(session);
  const [isDismissed, setIsDismissed] = useState(false);
  const isSession = typeof state === "object" && state.kind === "session";
  // It is shown while the account loads too, so that the page does not move.
  const isNobody = account !== null && account.member === null;
  if (isDismissed || !isSession || isNobody || !hasRecoveryHint()) return null;
  return (
    <section class="notice apply" aria-label="Recovery codes">
      <p>Create recovery codes, in case you lose this device.</p>
      <a class="button" href={pathTo({ page: "profile" })}>
        Create recovery codes
      </a>
      <Button
        variant="subtle"
        onClick={() => {
          endRecoveryHint();
          setIsDismissed(true);
        }}
      >
        Dismiss
      </Button>
    </section>
  );
}
