import { randomBytes } from "node:crypto";

import type { AccountId } from "#contract/ids.ts";
import { formToken, randomTokenCharacters } from "#contract/token-form.ts";

import { hashOfToken, type Statement } from "./first-token.ts";

export const SIGN_IN_MINUTES = 10;

/**
 * The address of a local installation for a browser: passkeys belong to host names, so they do not work at 127.0.0.1.
 * @param url the address at which it listens
 */
export function browserAddress(url: string): string {
  return url.replace("//127.0.0.1", "//localhost");
}

/** The account that a link signs in to: by id, by name, or the only account of the installation. */
export type SignInAccount = { readonly id: AccountId } | { readonly name: string } | "only";

/** A member of the account, by the e-mail address or the id. null: the session is nobody's. */
type SignInMember = string | null;

/**
 * Creates the code of a sign-in link, and the statement that makes it valid once. One statement finds the account and
 * writes the row, because each call of wrangler takes seconds. It writes no row if the account or its member does not exist.
 * @param now Unix milliseconds
 */
export function newSignInCode(
  account: SignInAccount,
  now: number,
  member: SignInMember = null,
): { readonly code: string; readonly statement: Statement } {
  const code = formToken(randomTokenCharacters(randomBytes), "sign_in");
  const { where, parameters } = conditionFor(account);
  const values = [hashOfToken(code), now + SIGN_IN_MINUTES * 60_000];
  const statement =
    member === null
      ? {
          sql: `INSERT OR IGNORE INTO sign_in_codes (hash, account_id, expires_at) SELECT ?, id, ? FROM accounts WHERE ${where} ORDER BY id LIMIT 1`,
          parameters: [...values, ...parameters],
        }
      : {
          sql: `INSERT OR IGNORE INTO sign_in_codes (hash, expires_at, account_id, member_id) SELECT ?, ?, members.account_id, members.id FROM members JOIN accounts ON accounts.id = members.account_id WHERE (members.id = ? OR members.email = lower(?)) AND accounts.${where} ORDER BY members.id LIMIT 1`,
          parameters: [...values, member, member, ...parameters],
        };
  return { code, statement };
}

function conditionFor(account: SignInAccount): { where: string; parameters: string[] } {
  if (account === "only")
    return { where: "id = (SELECT min(id) FROM accounts HAVING count(*) = 1)", parameters: [] };
  return "id" in account
    ? { where: "id = ?", parameters: [account.id] }
    : { where: "name = ?", parameters: [account.name] };
}
