import { useEffect } from "preact/hooks";

import { useNow } from "#dashboard/data/clock.ts";
import { session } from "#dashboard/data/session.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import { signInCommand } from "#dashboard/text/sign-in-command.ts";

/** How long before the end to warn: enough to finish a task and to create a new link. */
const NOTICE_MS = 15 * 60_000;

type Props = {
  readonly expiresAt: string;
  /** Called when the session has expired by this machine's clock, to ask the control plane. */
  readonly onEnd: () => unknown;
};

/** Warns before the session or token expires, and says how to stay signed in. */
export function SessionEnd({ expiresAt, onEnd }: Props) {
  const state = useSignal(session);
  const msLeft = Date.parse(expiresAt) - useNow();
  const hasEnded = msLeft <= 0;
  useEffect(() => {
    if (hasEnded) void onEnd();
  }, [hasEnded]);
  if (hasEnded || msLeft > NOTICE_MS) return null;
  const isSession = typeof state === "object" && state.kind === "session";
  return (
    <p class="banner" role="status">
      {isSession ? "You will be signed out" : "Your token expires"} at{" "}
      <time dateTime={expiresAt}>
        {new Date(expiresAt).toLocaleTimeString(undefined, { timeStyle: "short" })}
      </time>
      . To stay signed in, run <code>{signInCommand(location)}</code> and open its link in this browser.
      Running deployments continue either way.
    </p>
  );
}
