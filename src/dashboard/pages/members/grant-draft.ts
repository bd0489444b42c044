import type { Grant, GrantInput } from "#contract/endpoints/members/schemas.ts";
import { ExtraScope, Role } from "#contract/roles.ts";

/** A grant while it is edited. */
export type GrantDraft = Pick<GrantInput, "role" | "extra_scopes"> & {
  readonly project_ids: GrantInput["project_ids"];
};

export const newGrant: GrantDraft = { role: "viewer", project_ids: null, extra_scopes: [] };

/** The drafts for the grants of a member. One who has none, such as an owner, begins as a viewer. */
export function draftsOf(grants: readonly Grant[]): readonly GrantDraft[] {
  if (grants.length === 0) return [newGrant];
  return grants.map(({ role, project_ids: ids, extra_scopes: extras }) => ({
    // A role of a newer version cannot be shown. It is sent only if the person changes the grants.
    role: Role.options.find((one) => one === role) ?? "viewer",
    project_ids: ids,
    extra_scopes: ExtraScope.options.filter((scope) => extras.includes(scope)),
  }));
}

/** What is sent of the drafts. An admin has the extra scopes already. */
export function grantsIn(drafts: readonly GrantDraft[]): GrantInput[] {
  return drafts.map(({ role, project_ids: ids, extra_scopes: extras }) => ({
    role,
    project_ids: ids === null ? null : [...ids],
    extra_scopes: role === "admin" ? [] : [...extras],
  }));
}

/** The body of a change, with the fields that differ. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
