import { useEffect } from "preact/hooks";

import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import { useNow } from "#dashboard/data/clock.ts";
import { session, signInWithPasskey } from "#dashboard/data/session.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { problemText } from "#dashboard/text/labels.ts";
import { signInCommand } from "#dashboard/text/sign-in-command.ts";

/** How long before the end to warn: enough to finish a task and to create a new link. */
const NOTICE_MS = 15 * 60_000;

type Props = {
  readonly account: Pick<Account, "member" | "token">;
  /** Called when the session has expired by this machine's clock, to ask the control plane. */
  readonly onEnd: () => unknown;
};

/** Warns before the session or token expires, and says how to stay signed in. */
export function SessionEnd({ account, onEnd }: Props) {
  const { member, token } = account;
  const expiresAt = token.expires_at;
  const state = useSignal(session);
  const msLeft = Date.parse(expiresAt) - useNow();
  const hasEnded = msLeft <= 0;
  useEffect(() => {
    if (hasEnded) void onEnd();
  }, [hasEnded]);
  // The session of a recovery code is short on purpose: its page says so.
  const isRecovered = member !== null && token.scopes.length === 0;
  if (hasEnded || msLeft > NOTICE_MS || isRecovered) return null;
  const isSession = typeof state === "object" && state.kind === "session";
  return (
    <p class="banner" role="status">
      {isSession ? "You will be signed out" : "Your token expires"} at{" "}
      <time dateTime={expiresAt}>
        {new Date(expiresAt).toLocaleTimeString(undefined, { timeStyle: "short" })}
      </time>
      .{" "}
      {isSession && member !== null ? (
        <SignInAgain />
      ) : (
        <>
          To stay signed in, run <code>{signInCommand(location)}</code> and open its link in this browser.
        </>
      )}{" "}
      Running deployments continue either way.
    </p>
  );
}

/** A member stays signed in by their passkey. */
function SignInAgain() {
  const signingIn = useAction(signInWithPasskey);
  return (
    <>
      {signingIn.problem === null ? "To stay signed in, use your passkey." : problemText(signingIn.problem)}{" "}
      <Button variant="subtle" onClick={signingIn.run} isBusy={signingIn.isRunning}>
        Sign in again
      </Button>
    </>
  );
}
