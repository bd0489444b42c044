import { and, eq, sql } from "drizzle-orm";

import { tokens } from "#worker/db/schema.ts";
import type { TokenId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";

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
