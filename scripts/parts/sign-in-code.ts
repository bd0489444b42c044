import { randomBytes } from "node:crypto";

import type { AccountId } from "#contract/ids.ts";
import { formToken, randomTokenCharacters } from "#contract/token-form.ts";

import { hashOfToken, type Statement } from "./first-token.ts";

export const SIGN_IN_MINUTES = 10;

/**
 * Makes the code of a sign-in link, and the row that makes it good for once.
 * @param now Unix milliseconds
 */
export function newSignInCode(
  accountId: AccountId,
  now: number,
): { readonly code: string; readonly statement: Statement } {
  const code = formToken(randomTokenCharacters(randomBytes), "sign_in");
  const statement = {
    sql: "INSERT OR IGNORE INTO sign_in_codes (hash, account_id, expires_at) VALUES (?, ?, ?)",
    parameters: [hashOfToken(code), accountId, now + SIGN_IN_MINUTES * 60_000],
  };
  return { code, statement };
}

/**
 * The same for an account by its name, or for the only one there is where none is given: in one go, because each call of
 * wrangler takes seconds. Without such an account no row is made.
 */
export function newSignInCodeFor(
  account: string | null,
  now: number,
): { readonly code: string; readonly statement: Statement } {
  const code = formToken(randomTokenCharacters(randomBytes), "sign_in");
  const which = account === null ? "(SELECT count(*) FROM accounts) = 1" : "name = ?";
  const statement = {
    sql: `INSERT OR IGNORE INTO sign_in_codes (hash, account_id, expires_at) SELECT ?, id, ? FROM accounts WHERE ${which} ORDER BY id LIMIT 1`,
    parameters: [hashOfToken(code), now + SIGN_IN_MINUTES * 60_000, ...(account === null ? [] : [account])],
  };
  return { code, statement };
}
