import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";

import { DEFAULT_LOG_RETENTION_DAYS } from "#contract/endpoints/accounts/schemas.ts";
import type { AccountId } from "#contract/ids.ts";
import { accounts } from "#worker/db/schema.ts";

/** How many days an account keeps the logs of ended deployments. */
export async function findLogRetention(database: D1Database, id: AccountId): Promise<number> {
  const [found] = await drizzle(database)
    .select({ days: accounts.logRetentionDays })
    .from(accounts)
    .where(eq(accounts.id, id));
  return found?.days ?? DEFAULT_LOG_RETENTION_DAYS;
}

/** @param days within the contract's bounds */
export async function setLogRetention(database: D1Database, id: AccountId, days: number): Promise<void> {
  await drizzle(database).update(accounts).set({ logRetentionDays: days }).where(eq(accounts.id, id));
}
