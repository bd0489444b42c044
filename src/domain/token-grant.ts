import type { ProjectId } from "#contract/ids.ts";
import { type Permission, reachOf } from "#contract/permissions.ts";
import { allScopes, type Scope } from "#contract/scopes.ts";

export type Excess =
  | { readonly in: "scopes"; readonly scopes: readonly Scope[] }
  | { readonly in: "projects" };

/**
 * Compares the permissions of a caller with the permission wanted for something new, such as a token. Returns the excess that the
 * caller does not have; null if there is none. `write` includes `read`.
 */
export function excessOver(own: readonly Permission[], wanted: Permission): Excess | null {
  const missing = missingScopes(own, wanted.scopes);
  if (missing !== null) return missing;
  const reaches = wanted.scopes.map((scope) => reachOf(own, scope));
  return reaches.every((projectIds) => isWithin(projectIds, wanted.projectIds)) ? null : { in: "projects" };
}

/**
 * As `excessOver`, for a personal token, which is narrowed at each use: only scopes that the member has in no project are too much.
 * So one token fits a member who sees all and deploys one.
 */
export function missingScopes(own: readonly Permission[], wanted: readonly Scope[]): Excess | null {
  const missing = wanted.filter((scope) => reachOf(own, scope)?.length === 0);
  return missing.length === 0 ? null : { in: "scopes", scopes: missing };
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
