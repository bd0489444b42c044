import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import { ALL, useAccount } from "#dashboard/data/resources.ts";
import { session } from "#dashboard/data/session.ts";
import { useSignal } from "#dashboard/data/signal.ts";

/** Whether a member has signed in, not with a pasted token: their roles decide what they may do. */
export function useIsMemberSession(): boolean {
  const { value: account } = useAccount(ALL);
  const state = useSignal(session);
  const isSession = typeof state === "object" && state.kind === "session";
  return isSession && account !== null && account.member !== null;
}

/** Whether the session was created by a recovery code: only such a session has no scopes. It can only add a passkey. */
export function isRecovered({ token }: Pick<Account, "token">): boolean {
  return token.scopes.length === 0;
}
