import type { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import type { Output } from "#cli/output/output.ts";
import { printableName } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";

/** Prints a token's secret to stdout, and a note to stderr. @param more the note's last sentence, without a full stop */
export function printSecret(output: Output, token: TokenWithSecret, more: string): void {
  output.json(token);
  const expires = timeText(token.expires_at, output);
  output.note(`Token "${printableName(token.name)}" (${token.id}) expires ${expires}. ${more}:`);
  output.line(token.token);
}
