import { and, eq, isNull, ne, sql } from "drizzle-orm";

import { tokens } from "#worker/db/schema.ts";
import type { TokenId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { tokenFields, type TokenReading } from "#worker/db/tokens/token-reading.ts";

/** Times are Unix milliseconds. */
type SecretReplacement = {
  readonly hash: string;
  readonly rotatedAt: number;
  readonly expiresAt: number;
  /** When the replaced secret stops working, unless it expires earlier. */
  readonly previousExpiresAt: number;
};

/** `replaced_before`: an earlier try of the same request has made this secret. The token is as that try left it. */
type TokenRotation =
  | { readonly outcome: "replaced" }
  | { readonly outcome: "replaced_before"; readonly token: TokenReading }
  | { readonly outcome: "not_found" };

/**
 * Gives a token a new secret. Its current secret becomes the previous one, replacing an older previous one.
 * @param recorded the writes that record it
 */
export async function replaceTokenSecret(
  rows: AccountRows,
  id: TokenId,
  { previousExpiresAt, ...replacement }: SecretReplacement,
  recorded: readonly Write[],
): Promise<TokenRotation> {
  const { hash } = replacement;
  const changes = {
    ...replacement,
    previousHash: sql`${tokens.hash}`,
    previousExpiresAt: sql`min(${tokens.expiresAt}, ${previousExpiresAt})`,
  };
  const isToken = and(eq(tokens.id, id), isNull(tokens.revokedAt));
  const update = rows.update(tokens, changes, and(isToken, ne(tokens.hash, hash)));
  const [replaced] = await rows.runTogether([update, ...recorded]);
  if (replaced === 1) return { outcome: "replaced" };
  const where = and(isToken, eq(tokens.hash, hash));
  const [token] = await rows.select(tokenFields, tokens, { where, limit: 1 });
  return token === undefined ? { outcome: "not_found" } : { outcome: "replaced_before", token };
}
