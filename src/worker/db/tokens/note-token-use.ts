import { and, eq, isNull, or, lt } from "drizzle-orm";

import { tokens } from "#worker/db/schema.ts";
import type { TokenId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";

/**
 * Records when a token was used. Writes nothing if a use in this hour or a later one is recorded.
 * @param use Unix milliseconds: the use, and the beginning of its hour
 */
export async function noteTokenUse(
  rows: AccountRows,
  id: TokenId,
  { usedAt, hour }: { readonly usedAt: number; readonly hour: number },
): Promise<void> {
  const isLater = or(isNull(tokens.lastUsedAt), lt(tokens.lastUsedAt, hour));
  await rows.run(rows.update(tokens, { lastUsedAt: usedAt }, and(eq(tokens.id, id), isLater)));
}
