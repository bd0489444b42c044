import { type Refusal, refuse } from "#contract/problems.ts";
import type { Excess } from "#domain/token-grant.ts";

/** The refusal to hand out a token that reaches further than the one that asks for it. */
export function refuseExcess(excess: Excess): {
  readonly ok: false;
  readonly refusal: Refusal<"insufficient_scope">;
} {
  if (excess.in === "projects")
    return refuse(
      "insufficient_scope",
      "The token is limited to some projects, so it can only hand out tokens limited to some of those: name them in project_ids.",
    );
  const { refusal } = refuse(
    "insufficient_scope",
    `The token cannot hand out what it lacks itself: ${excess.scopes.join(", ")}.`,
  );
  return { ok: false, refusal: { ...refusal, scopes: excess.scopes } };
}
