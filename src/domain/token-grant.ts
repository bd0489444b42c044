import type { ProjectId } from "#contract/ids.ts";
import { allScopes, type Scope, scopesAllow } from "#contract/scopes.ts";

/** The permissions of a token. */
export type TokenReach = {
  readonly scopes: readonly Scope[];
  /** The projects that the token can access; null: all of the account. */
  readonly projectIds: readonly ProjectId[] | null;
};

export type Excess =
  | { readonly in: "scopes"; readonly scopes: readonly Scope[] }
  | { readonly in: "projects" };

/**
 * Compares the permissions of a token with the permissions wanted for a new token. Returns the excess that the token
 * does not have itself; null if there is none. `write` includes `read`, and a token without a project limit has access
 * to all projects.
 */
export function excessOver(own: TokenReach, wanted: TokenReach): Excess | null {
  const missing = wanted.scopes.filter((scope) => !scopesAllow(own.scopes, scope));
  if (missing.length > 0) return { in: "scopes", scopes: missing };
  return isWithin(own.projectIds, wanted.projectIds) ? null : { in: "projects" };
}

/**
 * Whether a limit to projects covers the wanted projects. null: as a limit, the whole account; as the wanted projects,
 * access that is not about single projects.
 */
export function isWithin(limit: readonly ProjectId[] | null, wanted: readonly ProjectId[] | null): boolean {
  if (limit === null) return true;
  if (wanted === null) return false;
  const inLimit = new Set(limit);
  return wanted.every((id) => inLimit.has(id));
}

/** The projects in both limits. null: no limit. */
export function withinBoth(
  one: readonly ProjectId[] | null,
  other: readonly ProjectId[] | null,
): readonly ProjectId[] | null {
  if (one === null || other === null) return one ?? other;
  const others = new Set(other);
  return one.filter((id) => others.has(id));
}

/** Scopes, each once, in the order of `allScopes`. */
export function inOrder(scopes: readonly Scope[]): Scope[] {
  return allScopes.filter((scope) => scopes.includes(scope));
}

/** A limit to projects that lists each project once. */
export function onceEach(projectIds: readonly ProjectId[] | null): ProjectId[] | null {
  return projectIds === null ? null : [...new Set(projectIds)];
}
