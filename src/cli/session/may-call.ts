import type { Session } from "#cli/session/session.ts";
import { userEndpoints } from "#contract/endpoints/user-endpoints.ts";
import { missingPermission } from "#contract/may-call.ts";

/**
 * Whether the token may call an endpoint, for requests that a command can do without. A request that is refused for its
 * scope is in the account's audit log, where it looks like an attack.
 */
export async function mayCall(
  { ownAccount }: Pick<Session, "ownAccount">,
  operation: keyof typeof userEndpoints,
): Promise<boolean> {
  const account = await ownAccount();
  // The request itself has the same problem, and shows it.
  if (!account.ok) return true;
  const { scopes, project_ids } = account.value.token;
  return missingPermission(userEndpoints[operation].access, scopes, project_ids !== null) === null;
}
