import type { Account, UpdateAccountInput } from "#contract/account.ts";
import { refuse, type Result } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { setLogRetention } from "#worker/db/log-retention.ts";
import { getAccount } from "#worker/operations/get-account.ts";

/** Changes settings that hold for all of the account's projects. */
export async function updateAccount(
  context: Context,
  { log_retention_days: days }: UpdateAccountInput,
): Promise<Result<Account, "insufficient_scope">> {
  if (context.token.projectIds !== null)
    return refuse(
      "insufficient_scope",
      "The token is limited to some projects, so it cannot change what holds for all of them.",
    );
  if (days !== undefined) await setLogRetention(context.session.database, context.account.id, days);
  return await getAccount(context);
}
