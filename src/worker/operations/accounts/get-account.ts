import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findLogRetention } from "#worker/db/accounts/log-retention.ts";
import { timestamp } from "#worker/views/timestamp.ts";

/** Returns the account and the token of the request. */
export async function getAccount(context: Context): Promise<Result<Account, never>> {
  const { account, token } = context;
  return succeed({
    id: account.id,
    name: account.name,
    log_retention_days: await findLogRetention(context.session.database, account.id),
    token: {
      id: token.id,
      name: token.name,
      scopes: [...token.scopes],
      project_ids: token.projectIds === null ? null : [...token.projectIds],
      expires_at: timestamp(token.expiresAt),
    },
  });
}
