import { type Refusal, refuse } from "#contract/problems.ts";
import type { Excess } from "#domain/token-grant.ts";

/** Refuses to create or rotate a token that may do more than the token of the request. */
export function refuseExcess(excess: Excess): {
  readonly ok: false;
  readonly refusal: Refusal<"insufficient_scope">;
} {
  if (excess.in === "projects")
    return refuse(
      "insufficient_scope",
      "The token is limited to some projects, so it can only create tokens for these projects: list them in project_ids.",
    );
  const { refusal } = refuse(
    "insufficient_scope",
    `The token cannot grant scopes that it does not have: ${excess.scopes.join(", ")}.`,
  );
  return { ok: false, refusal: { ...refusal, scopes: excess.scopes } };
}
