import { sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { AccountId } from "#contract/ids.ts";
import { auditEntries, auditSeals } from "#worker/db/event-tables.ts";
import { accounts } from "#worker/db/schema.ts";
import { from, read, select } from "#worker/db/statements.ts";

/**
 * Accounts whose audit log has entries after its last seal. First those that were sealed longest ago: busy accounts always
 * have new entries, and must not keep the others waiting. Reads a few rows of each account by index.
 */
export async function findUnsealedAccounts(database: D1Database, limit: number): Promise<AccountId[]> {
  const newest = sql`(select max(${auditEntries.sequence}) from ${auditEntries} where ${auditEntries.accountId} = ${accounts.id})`;
  const ofLast = (value: SQLiteColumn) =>
    sql`(select ${value} from ${auditSeals} where ${auditSeals.accountId} = ${accounts.id} order by ${auditSeals.number} desc limit 1)`;
  const sealed = ofLast(auditSeals.lastEntry);
  const page = sql`${from(accounts, sql`${newest} > coalesce(${sealed}, 0)`)} order by coalesce(${ofLast(auditSeals.sealedAt)}, 0), ${accounts.id} limit ${limit}`;
  const rows = await read(database, select({ id: accounts.id }, page));
  return rows.map(({ id }) => id);
}
