import { refuse, type Refusal } from "#contract/problems.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { Excess } from "#domain/token-grant.ts";

/** Refuses a list of projects. @param unknown the projects that do not exist, or that the token cannot access */
export function refuseUnknownProjects(given: readonly ProjectId[], unknown: readonly ProjectId[]) {
  const errors = given.flatMap((id, at) =>
    unknown.includes(id)
      ? [{ pointer: `/project_ids/${at}`, message: "is not a project of this account" }]
      : [],
  );
  return refuse(
    "invalid_request",
    "The account does not have a project that is listed in project_ids.",
    errors,
  );
}

/** Refuses to make a token, trust rule or webhook that reaches more than the token of the request. */
export function refuseExcess(
  excess: Excess,
  what: "tokens" | "trust rules" | "webhooks" = "tokens",
): {
  readonly ok: false;
  readonly refusal: Refusal<"insufficient_scope">;
} {
  if (excess.in === "projects")
    return refuse(
      "insufficient_scope",
      `The token is limited to some projects, so it can only create ${what} for these projects: list them in project_ids.`,
    );
  const { refusal } = refuse(
    "insufficient_scope",
    `The token cannot grant scopes that it does not have: ${excess.scopes.join(", ")}.`,
  );
  return { ok: false, refusal: { ...refusal, scopes: excess.scopes } };
}
