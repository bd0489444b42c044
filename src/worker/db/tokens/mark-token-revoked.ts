import { and, eq, gt, isNull, ne, or, sql } from "drizzle-orm";

import type { TokenId } from "#contract/ids.ts";
import type { Scope } from "#contract/scopes.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { findToken } from "#worker/db/tokens/find-token.ts";
import { tokens } from "#worker/db/schema.ts";

const NEEDED: Scope = "tokens:write";

export type TokenRevocation = "revoked" | "not_found" | "last_token";

/**
 * Revokes a token, and with it both of its secrets, unless it is the last one that can make any other. One statement
 * looks for another and revokes, so of the last two, revoked at the same instant, one stays.
 * @param now Unix milliseconds
 */
export async function markTokenRevoked(
  rows: AccountRows,
  id: TokenId,
  now: number,
): Promise<TokenRevocation> {
  // Expired ones, and those that are limited to projects, cannot make what is lost with this one; a session soon cannot.
  const canMakeAny = and(
    isNull(tokens.revokedAt),
    eq(tokens.kind, "token"),
    gt(tokens.expiresAt, now),
    isNull(tokens.projectIds),
    sql`exists (select 1 from json_each(${tokens.scopes}) where value = ${NEEDED})`,
  );
  const others = rows.countAll(tokens, and(ne(tokens.id, id), canMakeAny));
  const isNotLast = or(sql`not (${canMakeAny})`, sql`${others} > 0`);
  const where = and(eq(tokens.id, id), isNull(tokens.revokedAt), isNotLast);
  if ((await rows.run(rows.update(tokens, { revokedAt: now }, where))) === 1) return "revoked";
  return (await findToken(rows, id)) === null ? "not_found" : "last_token";
}
