import { and, eq, isNull, sql } from "drizzle-orm";

import { tokens } from "#worker/db/schema.ts";
import type { TokenId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";

/** Times are Unix milliseconds. */
type SecretReplacement = {
  readonly hash: string;
  readonly rotatedAt: number;
  readonly expiresAt: number;
  /** When the replaced secret stops working, unless it expires earlier. */
  readonly previousExpiresAt: number;
};

/**
 * Gives a token a new secret. Its current secret becomes the previous one, replacing an older previous one, unless it is
 * the new one already. Returns false and changes nothing if the token does not exist or is revoked.
 * @param recorded the writes that record it
 */
export async function replaceTokenSecret(
  rows: AccountRows,
  id: TokenId,
  { previousExpiresAt, ...replacement }: SecretReplacement,
  recorded: readonly Write[],
): Promise<boolean> {
  // A retry finds the secret that it made before. The previous secret stays as it is.
  const isRetry = sql`${tokens.hash} = ${replacement.hash}`;
  const changes = {
    ...replacement,
    previousHash: sql`case when ${isRetry} then ${tokens.previousHash} else ${tokens.hash} end`,
    previousExpiresAt: sql`case when ${isRetry} then ${tokens.previousExpiresAt} else min(${tokens.expiresAt}, ${previousExpiresAt}) end`,
  };
  const where = and(eq(tokens.id, id), isNull(tokens.revokedAt));
  const [replaced] = await rows.runTogether([rows.update(tokens, changes, where), ...recorded]);
  return replaced === 1;
}
