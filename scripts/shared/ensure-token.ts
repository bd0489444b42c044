import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { AccountId } from "#contract/ids.ts";
import { isWellFormedToken } from "#contract/token-form.ts";

import { hashOfToken, newToken } from "./first-token.ts";
import { type LocalDatabase, runStatements } from "./local-database.ts";

/** A token that expires sooner is replaced at the start. */
const MIN_LIFETIME_MS = 24 * 60 * 60 * 1000;

export type LocalToken = { readonly token: string; readonly accountId: AccountId };

/**
 * Returns the token of a home: from its file if that token is valid, otherwise a new token for the first account.
 * Creates the account if there is none.
 * @param now Unix milliseconds
 */
export async function ensureToken(database: LocalDatabase, file: string, now: number): Promise<LocalToken> {
  const kept = (await readFile(file, "utf8").catch(() => "")).trim();
  if (isWellFormedToken(kept)) {
    const row = await database
      .prepare("SELECT account_id FROM tokens WHERE hash = ? AND revoked_at IS NULL AND expires_at > ?")
      .bind(hashOfToken(kept), now + MIN_LIFETIME_MS)
      .first<{ account_id: string }>();
    if (row !== null) return { token: kept, accountId: AccountId.parse(row.account_id) };
  }

  const first = await database.prepare("SELECT id FROM accounts ORDER BY id LIMIT 1").first<{ id: string }>();
  const account = first === null ? { name: "local" } : { id: AccountId.parse(first.id) };
  const { token, accountId, statements } = newToken(account, "npm start", now);
  // The file is written first. A token without a row is replaced at the next start. A row without its token stays.
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${token}\n`, { mode: 0o600 });
  await runStatements(database, statements);
  return { token, accountId };
}
