import { and, desc, isNull, lt } from "drizzle-orm";

import type { TokenId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { tokens } from "#worker/db/schema.ts";
import { tokenFields, type TokenReading } from "#worker/db/tokens/token-reading.ts";

/** The account's tokens that are not revoked, newest first, from the one after `after` on. */
export async function listTokens(
  rows: AccountRows,
  { after, limit }: { readonly after: TokenId | null; readonly limit: number },
): Promise<TokenReading[]> {
  return rows.select(tokenFields, tokens, {
    where: and(isNull(tokens.revokedAt), after === null ? undefined : lt(tokens.id, after)),
    orderBy: [desc(tokens.id)],
    limit,
  });
}
