import type { RequiredClaims } from "#contract/endpoints/trust-rules/providers.ts";
import type { TrustRule } from "#contract/endpoints/trust-rules/schemas.ts";
import { printFacts } from "#cli/output/facts.ts";
import type { Output } from "#cli/output/output.ts";
import { printable, printableName } from "#cli/output/printable.ts";

/** Prints a trust rule. */
export function printTrustRule(output: Output, rule: TrustRule): void {
  output.json(rule);
  printFacts(output, [
    ["name", printableName(rule.name)],
    ["id", rule.id],
    ["issuer", rule.issuer],
    [rule.subject_claim, rule.subject],
    ["claims", claimsText(rule.claims)],
    ["audience", rule.audience],
    ["scopes", rule.scopes.join(", ")],
    ["projects", rule.project_ids?.join(", ") ?? "all"],
    ["lifetime", `${rule.lifetime_minutes} minutes`],
  ]);
}

/** The pinned claims of a trust rule, in a line. */
export function claimsText(claims: RequiredClaims): string {
  return Object.entries(claims)
    .map(([name, values]) => `${printable(name)}=${values.map(printable).join("|")}`)
    .join(" ");
}
