import type { Failed } from "#client/answer.ts";
import { didYouMean } from "#cli/arguments/suggest.ts";
import { missing } from "#cli/outcome.ts";

/** Nothing of the account is called so. @param all what there is of the kind: one of them may have been meant */
export function missingNamed(
  kind: "project" | "server" | "token",
  word: string,
  all: readonly { readonly name: string }[],
): Failed {
  const names = all.map(({ name }) => name);
  return missing(`There is no ${kind} ${word} in this account.${didYouMean(word, names)}`);
}
