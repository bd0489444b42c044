import { and, eq, gt, isNull, ne, or, type SQL, sql } from "drizzle-orm";

import { tokens } from "#worker/db/schema.ts";
import type { TokenId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import type { Scope } from "#contract/scopes.ts";
import { auditWrites, computedEventWrites, HAS_CHANGED } from "#worker/db/changes/change-writes.ts";
import type { SettingsOrigin } from "#worker/db/changes/setting-writes.ts";
import { auditEntries } from "#worker/db/event-tables.ts";
import { findToken } from "#worker/db/tokens/find-token.ts";

const NEEDED: Scope = "tokens:write";

type TokenRevocation = "revoked" | "not_found" | "last_token";

/**
 * Revokes a token with both of its secrets, unless it is the last one that can create tokens. One statement checks for
 * another token and revokes, so if the last two are revoked at the same time, one stays.
 * @param now Unix milliseconds
 * @param origin the request
 */
export async function markTokenRevoked(
  rows: AccountRows,
  id: TokenId,
  now: number,
  origin: SettingsOrigin,
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
  const revocation = rows.update(tokens, { revokedAt: now }, where);
  const [revoked] = await rows.runTogether([revocation, ...revocationWrites(rows, id, origin)]);
  if (revoked === 1) return "revoked";
  return (await findToken(rows, id)) === null ? "not_found" : "last_token";
}

/** The event and the entry, with the token's name, which the request does not have. */
function revocationWrites(rows: AccountRows, id: TokenId, { audit, eventId }: SettingsOrigin): Write[] {
  const of = (value: SQL) => rows.first(value, tokens, eq(tokens.id, id), sql`1`);
  const shown = sql`json_object('id', ${tokens.id}, 'name', ${tokens.name}, 'scopes', json(${tokens.scopes}))`;
  const { actor, createdAt } = audit;
  const event = { id: eventId, projectId: null, type: "token.revoked" as const, actor, createdAt };
  const target = sql`json_object('type', 'token', 'id', ${tokens.id}, 'name', ${tokens.name})`;
  return [
    ...computedEventWrites(rows, event, of(sql`json_object('token', ${shown})`)),
    ...auditWrites(rows, [audit], HAS_CHANGED, new Map([[auditEntries.target, of(target)]])),
  ];
}
