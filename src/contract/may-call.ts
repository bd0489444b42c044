import type { Access } from "#contract/endpoints/endpoint.ts";
import { type Scope, scopesAllow } from "#contract/scopes.ts";
import type { Growing } from "#contract/growing.ts";

/**
 * What a token lacks to call an endpoint: the scope, or access to the whole account. Null: nothing. The database queries
 * check which projects the token can access.
 * @param isLimited whether the token is limited to some projects of its account
 */
export function missingPermission(
  access: Access,
  scopes: readonly Growing<Scope>[],
  isLimited: boolean,
): "scope" | "account" | null {
  if (access.by !== "token") return null;
  const { scope, reach } = access;
  if (scope !== null && !scopesAllow(scopes, scope)) return "scope";
  return isLimited && reach === "account" ? reach : null;
}
