import type { ProjectId } from "#contract/ids.ts";
import { type Scope, scopesAllow } from "#contract/scopes.ts";

/** How far a token reaches. */
export type TokenReach = {
  readonly scopes: readonly Scope[];
  /** The projects that the token is limited to; null: all of the account. */
  readonly projectIds: readonly ProjectId[] | null;
};

export type Excess =
  | { readonly in: "scopes"; readonly scopes: readonly Scope[] }
  | { readonly in: "projects" };

/**
 * What a token would give away that it does not have itself, if it handed out one with the reach that is asked for;
 * null: nothing. `write` on a resource has `read` on it, and no limit to projects has every limit.
 */
export function excessOver(own: TokenReach, wanted: TokenReach): Excess | null {
  const missing = wanted.scopes.filter((scope) => !scopesAllow(own.scopes, scope));
  if (missing.length > 0) return { in: "scopes", scopes: missing };
  return isWithin(own.projectIds, wanted.projectIds) ? null : { in: "projects" };
}

function isWithin(limit: readonly ProjectId[] | null, wanted: readonly ProjectId[] | null): boolean {
  if (limit === null) return true;
  if (wanted === null) return false;
  const inLimit = new Set(limit);
  return wanted.every((id) => inLimit.has(id));
}
