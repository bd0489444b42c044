import type { ProjectId } from "#contract/ids.ts";
import type { Permission } from "#contract/permissions.ts";
import { type ExtraScope, type Role, roleScopes } from "#contract/roles.ts";
import { allScopes, scopesAllow } from "#contract/scopes.ts";
import { inOrder, withinBoth } from "#domain/token-grant.ts";

/** A role in some projects; `projectIds` null: in the whole account. */
export type Grant = {
  readonly role: Role;
  readonly projectIds: readonly ProjectId[] | null;
  readonly extra: readonly ExtraScope[];
};

/** What a person may do. An owner may do everything, whatever the grants. */
export type MemberRights = { readonly isOwner: boolean; readonly grants: readonly Grant[] };

const everything: readonly Permission[] = [{ scopes: allScopes, projectIds: null }];

/** What a member may do. */
export function permissionsOfMember({ isOwner, grants }: MemberRights): readonly Permission[] {
  if (isOwner) return everything;
  return grants.map(({ role, extra, projectIds }) => ({
    scopes: inOrder([...roleScopes[role], ...extra]),
    projectIds,
  }));
}

/**
 * The permissions of a token of a member: what the token and the member both have. So the token loses what its member
 * loses.
 */
export function narrowed(permissions: readonly Permission[], token: Permission): readonly Permission[] {
  return permissions
    .map(({ scopes, projectIds }) => ({
      scopes: allScopes.filter((scope) => scopesAllow(scopes, scope) && scopesAllow(token.scopes, scope)),
      projectIds: withinBoth(projectIds, token.projectIds),
    }))
    .filter(({ scopes, projectIds }) => scopes.length > 0 && projectIds?.length !== 0);
}
