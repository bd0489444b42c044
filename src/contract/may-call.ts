import type { Access } from "#contract/endpoints/endpoint.ts";
import type { Growing } from "#contract/growing.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Permission, reachOf } from "#contract/permissions.ts";
import { type Scope, scopesAllow } from "#contract/scopes.ts";

/** What a call is about: a project, several ones, or the whole account (null). */
export type Place = ProjectId | readonly ProjectId[] | null;

/**
 * What a caller lacks to call an endpoint: the scope, or access to the whole account. Null: nothing, except that some endpoints also
 * need a person.
 * @param place omitted: anywhere. The Worker omits it, because its database queries check which projects the caller can access.
 */
export function missingPermission(
  access: Access,
  permissions: readonly Permission<Growing<Scope>>[],
  place?: Place,
): "scope" | "account" | null {
  if (access.by !== "token") return null;
  const { scope, reach } = access;
  if (scope !== null && !permissions.some(({ scopes }) => scopesAllow(scopes, scope))) return "scope";
  const projectIds = reachOf(permissions, scope);
  if (projectIds === null) return null;
  if (reach === "account" || place === null) return "account";
  const places = typeof place === "string" ? [place] : (place ?? []);
  return places.every((id) => projectIds.includes(id)) ? null : "scope";
}
