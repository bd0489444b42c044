import { and, eq, isNull, or, lt } from "drizzle-orm";

import { tokens } from "#worker/db/schema.ts";
import type { TokenId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";

/** Records when a token was used (Unix milliseconds). Writes nothing if this time or a later one is recorded. */
export async function noteTokenUse(rows: AccountRows, id: TokenId, usedAt: number): Promise<void> {
  const isLater = or(isNull(tokens.lastUsedAt), lt(tokens.lastUsedAt, usedAt));
  await rows.run(rows.update(tokens, { lastUsedAt: usedAt }, and(eq(tokens.id, id), isLater)));
}
