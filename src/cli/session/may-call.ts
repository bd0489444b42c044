import type { Session } from "#cli/session/session.ts";
import { userEndpoints } from "#contract/endpoints/user-endpoints.ts";
import { missingPermission } from "#contract/may-call.ts";
import { permissionsIn } from "#contract/permissions.ts";

/**
 * Whether to make a request that a command can do without. A request that is refused for its scope is in the account's
 * audit log, where it looks like an attack, so the command first asks what a token of CI may do. A token that somebody
 * has signed in with is not asked about: most of these may read everything, and each command would take a round trip
 * longer.
 */
export async function mayCall(
  { ownAccount, isTokenGiven }: Pick<Session, "ownAccount" | "isTokenGiven">,
  operation: keyof typeof userEndpoints,
): Promise<boolean> {
  if (!isTokenGiven) return true;
  const account = await ownAccount();
  // The request itself has the same problem, and shows it.
  if (!account.ok) return true;
  return missingPermission(userEndpoints[operation].access, permissionsIn(account.value)) === null;
}
