import type { Account, UpdateAccountInput } from "#contract/endpoints/accounts/schemas.ts";
import type { Result } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { setLogRetention } from "#worker/db/accounts/log-retention.ts";
import { getAccount } from "#worker/operations/accounts/get-account.ts";

/** Changes settings that apply to all projects of the account. */
export async function updateAccount(
  context: Context,
  { log_retention_days: days }: UpdateAccountInput,
): Promise<Result<Account, never>> {
  if (days !== undefined) await setLogRetention(context.session.database, context.account.id, days);
  return await getAccount(context);
}
