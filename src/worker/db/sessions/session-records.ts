import { and, eq, gt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";

import type { AccountId, TokenId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import type { NewRow } from "#worker/db/owned-tables.ts";
import { signInCodes, tokens } from "#worker/db/schema.ts";

export type NewSession = Pick<
  NewRow<typeof tokens>,
  "id" | "name" | "hash" | "scopes" | "createdAt" | "expiresAt"
>;

/**
 * The account whose sign-in code can be spent at this time (Unix milliseconds); null: there is none. It only reads, so
 * that a wrong code causes no write.
 */
export async function findSignInAccount(
  database: D1Database,
  codeHash: string,
  now: number,
): Promise<AccountId | null> {
  const [found] = await drizzle(database)
    .select({ accountId: signInCodes.accountId })
    .from(signInCodes)
    .where(isValid(codeHash, now));
  return found?.accountId ?? null;
}

/**
 * Spends a sign-in code and creates a session, in one transaction. Returns false if the code is unknown, expired or
 * spent. Of two requests at the same time, one gets false.
 * @param recorded the writes that record the session
 */
export async function spendSignInCode(
  rows: AccountRows,
  codeHash: string,
  session: NewSession,
  recorded: readonly Write[],
): Promise<boolean> {
  const found = rows.count(signInCodes, isValid(codeHash, session.createdAt));
  const [inserted] = await rows.runTogether([
    rows.insert(tokens, { ...session, kind: "session" }, sql`${found} > 0`),
    ...recorded,
    rows.delete(signInCodes, eq(signInCodes.hash, codeHash)),
  ]);
  return inserted === 1;
}

function isValid(codeHash: string, now: number) {
  return and(eq(signInCodes.hash, codeHash), gt(signInCodes.expiresAt, now));
}

/**
 * Ends a session. Returns false if the token is not a session. Safe to repeat.
 * @param now Unix milliseconds
 * @param recorded the writes that record it
 */
export async function markSessionEnded(
  rows: AccountRows,
  id: TokenId,
  now: number,
  recorded: readonly Write[],
): Promise<boolean> {
  const where = and(eq(tokens.id, id), eq(tokens.kind, "session"));
  const revokedAt = sql`coalesce(${tokens.revokedAt}, ${now})`;
  const [ended] = await rows.runTogether([rows.update(tokens, { revokedAt }, where), ...recorded]);
  return ended === 1;
}
