import { and, gte, sql } from "drizzle-orm";

import type { AccountId } from "#contract/ids.ts";
import { events } from "#worker/db/event-tables.ts";
import { read, select } from "#worker/db/reads.ts";
import { from, limited } from "#worker/db/statements.ts";

/**
 * The accounts with events since a time, sorted by id. Reads only these events.
 * @param since Unix milliseconds
 * @param after the last id of the previous page; empty: from the start
 */
export async function findAccountsWithEvents(
  database: D1Database,
  since: number,
  after: AccountId | "",
  limit: number,
): Promise<AccountId[]> {
  // Without the plus, SQLite would read all events in the order of another index instead of the few since the time.
  const account = sql`+${events.accountId}`;
  const where = and(gte(events.createdAt, since), sql`${account} > ${after}`);
  const page = sql`${from(events, where)} group by ${account} order by ${account}${limited(limit)}`;
  const rows = await read(database, select({ accountId: events.accountId }, page));
  return rows.map(({ accountId }) => accountId);
}
