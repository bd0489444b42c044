import type { Access } from "#contract/endpoints/endpoint.ts";
import type { Growing } from "#contract/growing.ts";
import { type Permission, reachOf } from "#contract/permissions.ts";
import { type Scope, scopesAllow } from "#contract/scopes.ts";

/**
 * What a caller lacks to call an endpoint: the scope, or access to the whole account. Null: nothing, except that some endpoints also
 * need a person. The database queries
 * check which projects the caller can access.
 */
export function missingPermission(
  access: Access,
  permissions: readonly Permission<Growing<Scope>>[],
): "scope" | "account" | null {
  if (access.by !== "token") return null;
  const { scope, reach } = access;
  if (scope !== null && !permissions.some(({ scopes }) => scopesAllow(scopes, scope))) return "scope";
  return reach === "account" && reachOf(permissions, scope) !== null ? reach : null;
}
