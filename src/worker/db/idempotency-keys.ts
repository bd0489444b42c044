import { eq, lt, or, sql } from "drizzle-orm";

import type { AccountRows } from "#worker/db/account-rows.ts";
import { idempotencyKeys } from "#worker/db/schema.ts";

/** How long a key is valid: a retry within this time gets the same response. */
export const KEY_COUNTS_MS = 24 * 60 * 60 * 1000;

export type IdempotencyRecord = Omit<typeof idempotencyKeys.$inferSelect, "accountId">;

const fields = {
  id: idempotencyKeys.id,
  fingerprint: idempotencyKeys.fingerprint,
  seed: idempotencyKeys.seed,
  createdAt: idempotencyKeys.createdAt,
  answer: idempotencyKeys.answer,
};

/** The most expired keys that a request deletes: more than it adds. The schedule deletes the rest. */
const MAX_DELETED = 10;

/**
 * Reserves a key for a request. Concurrent retries all get the record of the first. Deletes this key if it has expired,
 * and some expired ones of the account. One D1 round trip for a new key, two for an existing one.
 */
export async function reserveIdempotencyKey(
  rows: AccountRows,
  wanted: Omit<IdempotencyRecord, "answer">,
): Promise<IdempotencyRecord> {
  const hasExpired = lt(idempotencyKeys.createdAt, wanted.createdAt - KEY_COUNTS_MS);
  const some = rows.column(idempotencyKeys.id, idempotencyKeys, hasExpired, MAX_DELETED);
  const isDeleted = or(eq(idempotencyKeys.id, wanted.id), sql`${idempotencyKeys.id} in (${some})`);
  const [, inserted] = await rows.runTogether([
    rows.delete(idempotencyKeys, sql`${hasExpired} and ${isDeleted}`),
    rows.insertIfNew(idempotencyKeys, { ...wanted, answer: null }),
  ]);
  if (inserted === 1) return { ...wanted, answer: null };
  const [found] = await rows.select(fields, idempotencyKeys, { where: eq(idempotencyKeys.id, wanted.id) });
  return found ?? { ...wanted, answer: null };
}

/** Stores the response for retries. @returns whether it is the first: a request at the same time may have stored one */
export async function storeAnswer(rows: AccountRows, id: string, answer: string): Promise<boolean> {
  const isUnanswered = sql`${idempotencyKeys.id} = ${id} and ${idempotencyKeys.answer} is null`;
  return (await rows.run(rows.update(idempotencyKeys, { answer }, isUnanswered))) > 0;
}
