import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { ApprovalRule } from "#contract/endpoints/projects/approval-rule.ts";

type Caller = Pick<Account, "member"> & { readonly token: Pick<Account["token"], "id"> };

/** Whether the caller has started a deployment, as far as the deployment shows who did. */
export function hasStarted({ token, member }: Caller, { actor }: Pick<Deployment, "actor">): boolean {
  return actor.id === token.id || (actor.member !== undefined && actor.member.id === member?.id);
}

/**
 * Why the rule of a project excludes a caller with the scope: `own`: they have started the deployment. `person`: they are not a
 * member. Null: it does not.
 */
export function approvalObstacle(
  caller: Caller,
  deployment: Pick<Deployment, "actor">,
  rule: ApprovalRule,
): "own" | "person" | null {
  if (rule !== "by_another" && rule !== "by_another_person") return null;
  if (hasStarted(caller, deployment)) return "own";
  return rule === "by_another_person" && caller.member === null ? "person" : null;
}
