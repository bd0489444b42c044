import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import { session } from "#dashboard/data/session.ts";
import { useSignal } from "#dashboard/data/signal.ts";

/** Whether the person with this session can become the first owner: they have signed in by a link. */
export function useMayCreateOwner(account: Pick<Account, "has_owner" | "member"> | null): boolean {
  const state = useSignal(session);
  const isSession = typeof state === "object" && state.kind === "session";
  return isSession && account !== null && !account.has_owner && account.member === null;
}
