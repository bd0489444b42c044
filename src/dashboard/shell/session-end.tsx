import { useEffect } from "preact/hooks";

import { useNow } from "#dashboard/data/clock.ts";
import { session } from "#dashboard/data/session.ts";
import { useSignal } from "#dashboard/data/signal.ts";

/** Time enough to finish what one is at, and to make a new link. */
const NOTICE_MS = 15 * 60_000;

type Props = {
  readonly expiresAt: string;
  /** By this machine's clock it has ended: the control plane, whose clock counts, is to be asked. */
  readonly onEnd: () => unknown;
};

/** Says shortly before it that the session, or the token, will end, and how to stay. */
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
      {isSession ? "You will be signed out" : "The token that you are signed in with ends"} at{" "}
      <time dateTime={expiresAt}>
        {new Date(expiresAt).toLocaleTimeString(undefined, { timeStyle: "short" })}
      </time>
      . To stay, open a new link in this tab: <code>npm run sign-in</code> makes one. What runs goes on either
      way.
    </p>
  );
}
