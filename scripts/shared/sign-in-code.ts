import { randomBytes } from "node:crypto";

import type { AccountId } from "#contract/ids.ts";
import { formToken, randomTokenCharacters } from "#contract/token-form.ts";

import { hashOfToken, type Statement } from "./first-token.ts";

export const SIGN_IN_MINUTES = 10;

/** The account that a link signs in to: by id, by name, or the only account of the installation. */
export type SignInAccount = { readonly id: AccountId } | { readonly name: string } | "only";

/**
 * Creates the code of a sign-in link, and the statement that makes it valid once. One statement finds the account and
 * writes the row, because each call of wrangler takes seconds. It writes no row if the account does not exist.
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
