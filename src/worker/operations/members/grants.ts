import type { GrantInput } from "#contract/endpoints/members/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { refuse, type Refusal } from "#contract/problems.ts";
import { type Grant, permissionsOfMember } from "#domain/members/member-permissions.ts";
import { excessOver } from "#domain/token-grant.ts";
import type { Context } from "#worker/context.ts";
import { grantOf } from "#worker/views/member-view.ts";

/** Grants of a request as they are stored. */
export function grantsOf(given: readonly GrantInput[]): Grant[] {
  return given.map((grant) => grantOf(grant));
}

/** The projects that grants name, each once. */
export function projectsOf(grants: readonly Grant[]): ProjectId[] {
  return [...new Set(grants.flatMap(({ projectIds }) => projectIds ?? []))];
}

/** Refuses to give rights that the caller does not have; null: the caller has them all. */
export function refuseGrants(
  { permissions }: Pick<Context, "permissions">,
  grants: readonly Grant[],
): { readonly ok: false; readonly refusal: Refusal<"insufficient_scope"> } | null {
  const excesses = permissionsOfMember({ isOwner: false, grants }).map((wanted) =>
    excessOver(permissions, wanted),
  );
  const excess = excesses.find((one) => one !== null) ?? null;
  if (excess === null) return null;
  return refuse(
    "insufficient_scope",
    excess.in === "projects"
      ? "You cannot give rights in projects in which you do not have them."
      : `You cannot give rights that you do not have: ${excess.scopes.join(", ")}.`,
  );
}

/** Refuses grants of projects that the account does not have. @param unknown these projects */
export function refuseGrantProjects(given: readonly GrantInput[], unknown: readonly ProjectId[]) {
  const errors = given.flatMap(({ project_ids: ids }, grant) =>
    (ids ?? []).flatMap((id, at) =>
      unknown.includes(id)
        ? [{ pointer: `/grants/${grant}/project_ids/${at}`, message: "is not a project of this account" }]
        : [],
    ),
  );
  return refuse("invalid_request", "The account does not have a project that is listed in a grant.", errors);
}

/** A person's address belongs to somebody else. */
export const emailTaken = refuse("email_taken", "Another member of the account has this e-mail address.");
