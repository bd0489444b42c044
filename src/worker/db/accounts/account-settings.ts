import { eq, sql } from "drizzle-orm";

import { DEFAULT_LOG_RETENTION_DAYS } from "#contract/endpoints/accounts/schemas.ts";
import type { AccountId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { members } from "#worker/db/identity-tables.ts";
import { accounts } from "#worker/db/schema.ts";
import { readerOf, readWithSize, select } from "#worker/db/reads.ts";

/** How many days an account keeps what has ended; null: forever. */
export type AccountSettings = {
  readonly logRetentionDays: number;
  readonly deploymentRetentionDays: number | null;
};

const fields = {
  logRetentionDays: accounts.logRetentionDays,
  deploymentRetentionDays: accounts.deploymentRetentionDays,
  hasOwner: sql<number>`exists (select 1 from ${members} where ${members.accountId} = ${accounts.id} and ${members.isOwner} = 1)`,
};

/** The settings of an account, whether it has an owner, and the size of the whole database in bytes. One D1 round trip. */
export async function findAccountSettings(
  database: D1Database,
  id: AccountId,
): Promise<AccountSettings & { readonly hasOwner: boolean; readonly databaseBytes: number }> {
  const { rows, databaseBytes } = await readWithSize(
    database,
    select<typeof fields>(readerOf(fields), (cells) => cells.from(accounts).where(eq(accounts.id, id))),
  );
  const none = { logRetentionDays: DEFAULT_LOG_RETENTION_DAYS, deploymentRetentionDays: null, hasOwner: 0 };
  const found = rows[0] ?? none;
  return { ...found, hasOwner: found.hasOwner === 1, databaseBytes };
}

/**
 * @param settings within the contract's bounds; undefined: not changed
 * @param recorded the writes that record it
 */
export async function setAccountSettings(
  rows: AccountRows,
  settings: { readonly [Name in keyof AccountSettings]: AccountSettings[Name] | undefined },
  recorded: readonly Write[],
): Promise<void> {
  await rows.runTogether([rows.updateAccount(settings), ...recorded]);
}
