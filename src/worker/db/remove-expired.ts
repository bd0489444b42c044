import { and, eq, lt, lte, type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";

import { KEY_COUNTS_MS } from "#worker/db/idempotency-keys.ts";
import { idempotencyKeys, servers, signInCodes, tokens } from "#worker/db/schema.ts";

/** The most rows that one statement changes. The next run handles the rest. */
const MAX_ROWS = 1_000;

/** How long the row of a revoked token is kept, for investigations. */
const REVOKED_MS = 24 * 60 * 60 * 1000;

/**
 * Deletes expired data of all accounts: idempotency keys older than a day, tokens that were revoked more than a day ago,
 * and expired sessions, sign-in codes, enrolment tokens and previous secrets. One D1 round trip.
 *
 * @param now Unix milliseconds
 */
export async function removeExpired(database: D1Database, now: number): Promise<void> {
  const rows = drizzle(database);
  const some = (table: typeof idempotencyKeys | typeof servers | typeof tokens, where: SQL | undefined) =>
    sql`${table.id} in (${rows.select({ id: table.id }).from(table).where(where).limit(MAX_ROWS)})`;
  await rows.batch([
    rows
      .delete(idempotencyKeys)
      .where(some(idempotencyKeys, lt(idempotencyKeys.createdAt, now - KEY_COUNTS_MS))),
    rows.delete(tokens).where(some(tokens, lt(tokens.revokedAt, now - REVOKED_MS))),
    rows.delete(tokens).where(some(tokens, and(eq(tokens.kind, "session"), lte(tokens.expiresAt, now)))),
    rows.delete(signInCodes).where(lte(signInCodes.expiresAt, now)),
    rows
      .update(tokens)
      .set({ previousHash: null, previousExpiresAt: null })
      .where(some(tokens, lte(tokens.previousExpiresAt, now))),
    rows
      .update(servers)
      .set({ enrollmentHash: null, enrollmentExpiresAt: null, enrollmentMadeBy: null })
      .where(some(servers, lte(servers.enrollmentExpiresAt, now))),
  ]);
}
