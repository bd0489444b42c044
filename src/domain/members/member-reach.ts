import type { ProjectId } from "#contract/ids.ts";
import { type ExtraScope, type Role, roleScopes } from "#contract/roles.ts";
import { type Scope, scopesAllow } from "#contract/scopes.ts";
import { type TokenReach, withinBoth } from "#domain/token-grant.ts";

/** A role in some projects; `projectIds` null: in the whole account. */
export type Grant = {
  readonly role: Role;
  readonly projectIds: readonly ProjectId[] | null;
  readonly extra: readonly ExtraScope[];
};

/** What a person may do. An owner may do everything, whatever the grants. */
export type MemberRights = { readonly isOwner: boolean; readonly grants: readonly Grant[] };

/**
 * The projects in which a member has a scope; null: the whole account; empty: none. Grants add up: a viewer of the account who is a
 * deployer of one project sees all and deploys one.
 */
export function reachOfMember({ isOwner, grants }: MemberRights, scope: Scope): readonly ProjectId[] | null {
  if (isOwner) return null;
  const giving = grants.filter(({ role, extra }) => scopesAllow([...roleScopes[role], ...extra], scope));
  const lists = giving.map(({ projectIds }) => projectIds);
  return lists.some((list) => list === null) ? null : [...new Set(lists.flatMap((list) => list ?? []))];
}

/**
 * The projects in which a personal token has a scope: where the token and its member both have it. So the token loses what its
 * member loses.
 */
export function reachOfPersonalToken(
  { scopes, projectIds }: TokenReach,
  member: MemberRights,
  scope: Scope,
): readonly ProjectId[] | null {
  if (!scopesAllow(scopes, scope)) return [];
  return withinBoth(reachOfMember(member, scope), projectIds);
}
