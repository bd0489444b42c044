import type { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import type { Output } from "#cli/output/output.ts";
import { printableName } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";

/** A token's secret, alone on stdout; what there is to know of it, beside. @param more half a sentence */
export function printSecret(output: Output, token: TokenWithSecret, more: string): void {
  output.json(token);
  const expires = timeText(token.expires_at, output);
  output.note(`The token "${printableName(token.name)}" (${token.id}) expires ${expires}. ${more}:`);
  output.line(token.token);
}
