import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { nearlyFullPercent } from "#domain/plan-limits.ts";
import type { Context } from "#worker/context.ts";
import { findAccountSettings } from "#worker/db/accounts/account-settings.ts";
import { timestamp } from "#worker/views/timestamp.ts";

/** Returns the account and the token of the request. */
export async function getAccount(context: Context): Promise<Result<Account, never>> {
  const { account, token } = context;
  const settings = await findAccountSettings(context.session.database, account.id);
  return succeed({
    id: account.id,
    name: account.name,
    log_retention_days: settings.logRetentionDays,
    deployment_retention_days: settings.deploymentRetentionDays,
    database_used_percent: nearlyFullPercent(settings.databaseBytes, context.limits),
    token: {
      id: token.id,
      name: token.name,
      scopes: [...token.scopes],
      project_ids: token.projectIds === null ? null : [...token.projectIds],
      expires_at: timestamp(token.expiresAt),
    },
  });
}
