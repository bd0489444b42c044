import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import type { Growing } from "#contract/growing.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Scope, scopesAllow } from "#contract/scopes.ts";

/** Scopes in some projects of an account; `projectIds` null: in the whole account. */
export type Permission<Of extends Growing<Scope> = Scope> = {
  readonly scopes: readonly Of[];
  readonly projectIds: readonly ProjectId[] | null;
};

/**
 * The projects in which a caller has a scope; null: the whole account; empty: none. Permissions add up: a viewer of the account who
 * is a deployer of one project sees all and deploys one.
 * @param scope null: any scope
 */
export function reachOf(
  permissions: readonly Permission<Growing<Scope>>[],
  scope: Scope | null,
): readonly ProjectId[] | null {
  const giving = permissions.filter(({ scopes }) => scope === null || scopesAllow(scopes, scope));
  const [first, ...others] = giving.map(({ projectIds }) => projectIds);
  if (first === undefined) return [];
  if (others.length === 0) return first;
  const lists = [first, ...others];
  return lists.includes(null) ? null : [...new Set(lists.flatMap((list) => list ?? []))];
}

/** The permissions that the API gives of the caller. */
export function permissionsIn({ permissions }: Pick<Account, "permissions">): Permission<Growing<Scope>>[] {
  return permissions.map(({ scopes, project_ids: projectIds }) => ({ scopes, projectIds }));
}
