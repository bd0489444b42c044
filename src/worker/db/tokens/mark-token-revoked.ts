import { and, eq, isNull, sql, gt, ne, or } from "drizzle-orm";

import { tokens } from "#worker/db/schema.ts";
import type { TokenId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import type { Scope } from "#contract/scopes.ts";
import { findToken } from "#worker/db/tokens/find-token.ts";

const NEEDED: Scope = "tokens:write";

type TokenRevocation = "revoked" | "not_found" | "last_token";

/**
 * Revokes a token with both of its secrets, unless it is the last one that can create tokens. One statement checks for
 * another token and revokes, so if the last two are revoked at the same time, one stays.
 * @param now Unix milliseconds
 */
export async function markTokenRevoked(
  rows: AccountRows,
  id: TokenId,
  now: number,
): Promise<TokenRevocation> {
  // Expired tokens and tokens that are limited to projects cannot replace this one, nor can a session, which expires soon.
  const canCreateAny = and(
    isNull(tokens.revokedAt),
    eq(tokens.kind, "token"),
    gt(tokens.expiresAt, now),
    isNull(tokens.projectIds),
    sql`exists (select 1 from json_each(${tokens.scopes}) where value = ${NEEDED})`,
  );
  const others = rows.countAll(tokens, and(ne(tokens.id, id), canCreateAny));
  const isNotLast = or(sql`not (${canCreateAny})`, sql`${others} > 0`);
  const where = and(eq(tokens.id, id), isNull(tokens.revokedAt), isNotLast);
  if ((await rows.run(rows.update(tokens, { revokedAt: now }, where))) === 1) return "revoked";
  return (await findToken(rows, id)) === null ? "not_found" : "last_token";
}
