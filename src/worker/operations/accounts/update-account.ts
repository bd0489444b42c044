import type { Account, UpdateAccountInput } from "#contract/endpoints/accounts/schemas.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { setAccountSettings } from "#worker/db/accounts/account-settings.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { getAccount } from "#worker/operations/accounts/get-account.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { differences } from "#worker/operations/changes/targets.ts";

/** Changes settings that apply to all projects of the account. */
export async function updateAccount(
  context: Context,
  input: UpdateAccountInput,
): Promise<Result<Account, never>> {
  const read = await getAccount(context);
  const { log_retention_days: logDays, deployment_retention_days: deploymentDays } = input;
  if (!read.ok || (logDays === undefined && deploymentDays === undefined)) return read;
  const { id, name, log_retention_days, deployment_retention_days } = read.value;
  const before = { log_retention_days, deployment_retention_days };
  const changes = differences(before, input);
  const changed = Object.keys(changes);
  const recorded = requestWrites(context, {
    event: changed.length === 0 ? null : { type: "account.updated", data: { account: { id }, changed } },
    ...{ target: { type: "account", id, name }, projectId: null, changes },
  });
  const settings = { logRetentionDays: logDays, deploymentRetentionDays: deploymentDays };
  await setAccountSettings(context.rows, settings, recorded);
  announceLater(context);
  return succeed({
    ...read.value,
    log_retention_days: logDays ?? log_retention_days,
    deployment_retention_days: deploymentDays === undefined ? deployment_retention_days : deploymentDays,
  });
}
