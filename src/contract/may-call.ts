import type { Access } from "#contract/endpoints/endpoint.ts";
import { type Scope, scopesAllow } from "#contract/scopes.ts";

/**
 * What a token lacks to call an endpoint: its scope, or the whole account where the token is limited to projects.
 * Null: nothing. Which projects the token sees is another question, and the database's rows answer it.
 * @param isLimited whether the token is limited to some projects of its account
 */
export function lackOf(
  access: Access,
  scopes: readonly Scope[],
  isLimited: boolean,
): "scope" | "account" | null {
  if (access.by !== "token") return null;
  const { scope, reach } = access;
  if (scope !== null && !scopesAllow(scopes, scope)) return "scope";
  return isLimited && reach === "account" ? reach : null;
}
