import { sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { AccountId } from "#contract/ids.ts";
import { auditEntries, auditSeals } from "#worker/db/event-tables.ts";
import { accounts } from "#worker/db/schema.ts";
import { read, select } from "#worker/db/reads.ts";
import { from, limited } from "#worker/db/statements.ts";

/**
 * Accounts whose audit log has entries from before a time after its last seal. Those that were sealed longest ago
 * come first: busy accounts always have new entries, and must not keep the others waiting. Reads a few rows of each
 * account by index.
 *
 * @param before Unix milliseconds
 * @param skipped how many of them to leave out
 */
export async function findUnsealedAccounts(
  database: D1Database,
  before: number,
  limit: number,
  skipped = 0,
): Promise<AccountId[]> {
  const ofLast = (value: SQLiteColumn) =>
    sql`(select ${value} from ${auditSeals} where ${auditSeals.accountId} = ${accounts.id} order by ${auditSeals.number} desc limit 1)`;
  const isNext = sql`${auditEntries.accountId} = ${accounts.id} and ${auditEntries.sequence} > coalesce(${ofLast(auditSeals.lastEntry)}, 0)`;
  const nextAt = sql`(select ${auditEntries.createdAt} from ${auditEntries} where ${isNext} order by ${auditEntries.sequence} limit 1)`;
  const page = sql`${from(accounts, sql`${nextAt} <= ${before}`)} order by coalesce(${ofLast(auditSeals.sealedAt)}, 0), ${accounts.id}${limited(limit, skipped)}`;
  const rows = await read(database, select({ id: accounts.id }, page));
  return rows.map(({ id }) => id);
}
