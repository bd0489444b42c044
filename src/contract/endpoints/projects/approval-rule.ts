import * as z from "zod/mini";

/**
 * Whether deployments wait for an approval. `required`: by anybody with the scope. `by_another`: not by who started the
 * deployment. `by_another_person`: the same, and by a member, not by a service token. Each rule is stricter than the
 * rules before it.
 */
export const ApprovalRule = z.enum(["none", "required", "by_another", "by_another_person"]);
export type ApprovalRule = z.infer<typeof ApprovalRule>;

/** Whether a rule asks for less than another one. */
export function isWeakerRule(rule: ApprovalRule, than: ApprovalRule): boolean {
  return ApprovalRule.options.indexOf(rule) < ApprovalRule.options.indexOf(than);
}
