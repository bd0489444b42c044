import type { Account, UpdateAccountInput } from "#contract/endpoints/accounts/schemas.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { setLogRetention } from "#worker/db/accounts/log-retention.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { getAccount } from "#worker/operations/accounts/get-account.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { differences } from "#worker/operations/changes/targets.ts";

/** Changes settings that apply to all projects of the account. */
export async function updateAccount(
  context: Context,
  { log_retention_days: days }: UpdateAccountInput,
): Promise<Result<Account, never>> {
  const read = await getAccount(context);
  if (!read.ok || days === undefined) return read;
  const { id, name, log_retention_days } = read.value;
  const changes = differences({ log_retention_days }, { log_retention_days: days });
  const changed = Object.keys(changes);
  const recorded = requestWrites(context, {
    event: changed.length === 0 ? null : { type: "account.updated", data: { account: { id }, changed } },
    ...{ target: { type: "account", id, name }, projectId: null, changes },
  });
  await setLogRetention(context.rows, days, recorded);
  announceLater(context);
  return succeed({ ...read.value, log_retention_days: days });
}
