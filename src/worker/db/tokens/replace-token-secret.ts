import { and, eq, isNull, sql } from "drizzle-orm";

import type { TokenId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { tokens } from "#worker/db/schema.ts";

/** Times are Unix milliseconds. */
export type SecretReplacement = {
  readonly hash: string;
  readonly rotatedAt: number;
  readonly expiresAt: number;
  /** When the secret that is replaced stops working, unless it expires before. */
  readonly previousExpiresAt: number;
};

/**
 * Gives a token a new secret; the one before it becomes the previous one, in place of any older. Returns false, and
 * changes nothing, where there is no such token or it has been revoked.
 */
export async function replaceTokenSecret(
  rows: AccountRows,
  id: TokenId,
  { previousExpiresAt, ...replacement }: SecretReplacement,
): Promise<boolean> {
  const changes = {
    ...replacement,
    previousHash: sql`${tokens.hash}`,
    previousExpiresAt: sql`min(${tokens.expiresAt}, ${previousExpiresAt})`,
  };
  const where = and(eq(tokens.id, id), isNull(tokens.revokedAt));
  return (await rows.run(rows.update(tokens, changes, where))) === 1;
}
