import { eq, lt } from "drizzle-orm";

import type { AccountRows } from "#worker/db/account-rows.ts";
import { idempotencyKeys } from "#worker/db/schema.ts";

/** For how long a key counts: a request that comes again within this time is answered as before. */
export const KEY_COUNTS_MS = 24 * 60 * 60 * 1000;

export type IdempotencyRecord = Omit<typeof idempotencyKeys.$inferSelect, "accountId">;

const fields = {
  id: idempotencyKeys.id,
  fingerprint: idempotencyKeys.fingerprint,
  seed: idempotencyKeys.seed,
  createdAt: idempotencyKeys.createdAt,
  answer: idempotencyKeys.answer,
};

/**
 * Reserves a key for a request: of several at the same instant, all get the record of the first. Forgets the account's
 * keys of more than a day ago. One D1 round trip for a new key, two for one that is there.
 */
export async function reserveIdempotencyKey(
  rows: AccountRows,
  wanted: Omit<IdempotencyRecord, "answer">,
): Promise<IdempotencyRecord> {
  const [, inserted] = await rows.runTogether([
    rows.delete(idempotencyKeys, lt(idempotencyKeys.createdAt, wanted.createdAt - KEY_COUNTS_MS)),
    rows.insertIfNew(idempotencyKeys, { ...wanted, answer: null }),
  ]);
  if (inserted === 1) return { ...wanted, answer: null };
  const [found] = await rows.select(fields, idempotencyKeys, { where: eq(idempotencyKeys.id, wanted.id) });
  return found ?? { ...wanted, answer: null };
}

/** Keeps the answer to be given again. */
export async function keepAnswer(rows: AccountRows, id: string, answer: string): Promise<void> {
  await rows.run(rows.update(idempotencyKeys, { answer }, eq(idempotencyKeys.id, id)));
}
