import type { RequiredClaims } from "#contract/endpoints/trust-rules/providers.ts";
import { printable } from "#cli/output/printable.ts";

/** The pinned claims of a trust rule, in a line. */
export function claimsText(claims: RequiredClaims): string {
  return Object.entries(claims)
    .map(([name, values]) => `${printable(name)}=${values.map(printable).join("|")}`)
    .join(" ");
}
