import { randomBytes } from "node:crypto";

import type { AccountId } from "#contract/ids.ts";
import { formToken, randomTokenCharacters } from "#contract/token-form.ts";

import { hashOfToken, type Statement } from "./first-token.ts";

export const SIGN_IN_MINUTES = 10;

/** Whose dashboard a link opens: an account by its id or its name, or the only one that there is. */
export type SignInAccount = { readonly id: AccountId } | { readonly name: string } | "only";

/**
 * Makes the code of a sign-in link, and the statement that makes it good for once. One statement finds the account and
 * writes the row, because each call of wrangler takes seconds; without such an account no row is made.
 * @param now Unix milliseconds
 */
export function newSignInCode(
  account: SignInAccount,
  now: number,
): { readonly code: string; readonly statement: Statement } {
  const code = formToken(randomTokenCharacters(randomBytes), "sign_in");
  const { where, parameters } = conditionFor(account);
  const statement = {
    sql: `INSERT OR IGNORE INTO sign_in_codes (hash, account_id, expires_at) SELECT ?, id, ? FROM accounts WHERE ${where} ORDER BY id LIMIT 1`,
    parameters: [hashOfToken(code), now + SIGN_IN_MINUTES * 60_000, ...parameters],
  };
  return { code, statement };
}

function conditionFor(account: SignInAccount): { where: string; parameters: string[] } {
  if (account === "only") return { where: "(SELECT count(*) FROM accounts) = 1", parameters: [] };
  return "id" in account
    ? { where: "id = ?", parameters: [account.id] }
    : { where: "name = ?", parameters: [account.name] };
}
