import { and, eq, isNull } from "drizzle-orm";

import { tokens } from "#worker/db/schema.ts";
import type { TokenId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { tokenFields, type TokenReading } from "#worker/db/tokens/token-reading.ts";

/** The account's token with this id; null if there is none or it is revoked. */
export async function findToken(rows: AccountRows, id: TokenId): Promise<TokenReading | null> {
  const where = and(eq(tokens.id, id), isNull(tokens.revokedAt));
  const [token] = await rows.select(tokenFields, tokens, { where, limit: 1 });
  return token ?? null;
}
