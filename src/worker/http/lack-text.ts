import type { TokenHolder } from "#worker/db/tokens/find-token-holder.ts";

/**
 * The sentence that says which scope a caller lacks, without a full stop and with what needs it. A personal token lacks what
 * its member lacks, and what it was created without.
 * @param needed what needs the scope, such as `, which the field command needs`; empty: the endpoint itself
 */
export function lackText(
  scope: string | null,
  needed: string,
  { token, member }: Pick<TokenHolder, "token" | "member">,
): string {
  if (member === null) return `The token lacks the scope ${scope}${needed}`;
  return token.kind === "session"
    ? `You lack the scope ${scope}${needed}`
    : `You lack the scope ${scope}${needed}: your roles or this token do not include it`;
}
