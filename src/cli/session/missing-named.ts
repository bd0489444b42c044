import type { Failed } from "#client/answer.ts";
import { didYouMean } from "#cli/arguments/suggest.ts";
import { missing } from "#cli/outcome.ts";

/** A 404 problem for a name that the account does not have. @param all the existing ones, for a suggestion */
export function missingNamed(
  kind: "project" | "server" | "token",
  word: string,
  all: readonly { readonly name: string }[],
): Failed {
  const names = all.map(({ name }) => name);
  return missing(`There is no ${kind} ${word} in this account.${didYouMean(word, names)}`);
}
