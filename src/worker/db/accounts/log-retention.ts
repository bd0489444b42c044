import { eq } from "drizzle-orm";

import { DEFAULT_LOG_RETENTION_DAYS } from "#contract/endpoints/accounts/schemas.ts";
import type { AccountId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { accounts } from "#worker/db/schema.ts";
import { from, read, select } from "#worker/db/statements.ts";

/** How many days an account keeps the logs of ended deployments. */
export async function findLogRetention(database: D1Database, id: AccountId): Promise<number> {
  const fields = { days: accounts.logRetentionDays };
  const [found] = await read(database, select(fields, from(accounts, eq(accounts.id, id))));
  return found?.days ?? DEFAULT_LOG_RETENTION_DAYS;
}

/**
 * @param days within the contract's bounds
 * @param recorded the writes that record it
 */
export async function setLogRetention(
  rows: AccountRows,
  days: number,
  recorded: readonly Write[],
): Promise<void> {
  await rows.runTogether([rows.updateAccount({ logRetentionDays: days }), ...recorded]);
}
