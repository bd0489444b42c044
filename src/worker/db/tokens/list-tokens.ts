import { isNull } from "drizzle-orm";

import { tokens } from "#worker/db/schema.ts";
import type { TokenId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { newestFirst, type Position } from "#worker/db/newest-first.ts";
import { tokenFields, type TokenReading } from "#worker/db/tokens/token-reading.ts";

/** The account's tokens that are not revoked, newest first. */
export async function listTokens(rows: AccountRows, position: Position<TokenId>): Promise<TokenReading[]> {
  return rows.select(tokenFields, tokens, newestFirst(tokens.id, position, isNull(tokens.revokedAt)));
}
