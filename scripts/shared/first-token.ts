import { createHash, randomBytes } from "node:crypto";

import { type AccountId, createIdGenerator } from "#contract/ids.ts";
import { allScopes } from "#contract/scopes.ts";
import { formToken, randomTokenCharacters } from "#contract/token-form.ts";
import { MAX_LIFETIME_DAYS } from "#contract/endpoints/tokens/schemas.ts";

/** All but the scopes for members: people are invited by people. */
const scopes = allScopes.filter((scope) => !scope.startsWith("members:"));

const LIFETIME_MS = MAX_LIFETIME_DAYS * 24 * 60 * 60 * 1000;

/** A statement for D1, with a `?` for each parameter. */
export type Statement = { readonly sql: string; readonly parameters: readonly (string | number | null)[] };

export type NewToken = {
  /** Printed once: the statements contain only its hash. */
  readonly token: string;
  readonly accountId: AccountId;
  readonly statements: readonly Statement[];
};

/** The form of a token in the database, which cannot be used to sign in. */
export function hashOfToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/**
 * Creates a token with every scope, and the statements that make it valid.
 * @param account the token's account. With a name: the first account of that name; if there is none, the statements create
 * it, with the returned id
 * @param now Unix milliseconds
 */
export function newToken(
  account: { readonly id: AccountId } | { readonly name: string },
  tokenName: string,
  now: number,
): NewToken {
  const ids = createIdGenerator({ now: () => now, randomBytes });
  const token = formToken(randomTokenCharacters(randomBytes));
  const isKnown = "id" in account;
  const accountId = isKnown ? account.id : ids.account();
  const insertAccount: Statement[] = isKnown
    ? []
    : [
        {
          sql: "INSERT INTO accounts (id, name, created_at) SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE name = ?)",
          parameters: [accountId, account.name, now, account.name],
        },
      ];
  const insertToken: Statement = {
    sql: `INSERT OR IGNORE INTO tokens (id, account_id, name, hash, scopes, created_at, expires_at) SELECT ?, id, ?, ?, ?, ?, ? FROM accounts WHERE ${isKnown ? "id" : "name"} = ? ORDER BY id LIMIT 1`,
    parameters: [
      ids.token(),
      tokenName,
      hashOfToken(token),
      JSON.stringify(scopes),
      now,
      now + LIFETIME_MS,
      isKnown ? account.id : account.name,
    ],
  };
  return { token, accountId, statements: [...insertAccount, insertToken] };
}

/** Inserts the parameters into a statement, for `wrangler d1 execute`, which takes none. */
export function renderStatement({ sql, parameters }: Statement): string {
  let at = 0;
  return `${sql.replaceAll("?", () => renderValue(parameters[at++] ?? null))};`;
}

function renderValue(value: string | number | null): string {
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  return value === null ? "NULL" : `${value}`;
}
