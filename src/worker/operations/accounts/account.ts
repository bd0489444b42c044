import type { Account, UpdateAccountInput } from "#contract/endpoints/accounts/schemas.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { nearlyFullPercent } from "#domain/plan-limits.ts";
import type { Context } from "#worker/context.ts";
import { findAccountSettings, setAccountSettings } from "#worker/db/accounts/account-settings.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { differences } from "#worker/operations/changes/targets.ts";
import { timestamp } from "#worker/views/timestamp.ts";

/** Returns the account and the token of the request. */
export async function getAccount(context: Context): Promise<Result<Account, never>> {
  const { account, token, member } = context;
  const settings = await findAccountSettings(context.session.database, account.id);
  return succeed({
    id: account.id,
    name: account.name,
    log_retention_days: settings.logRetentionDays,
    deployment_retention_days: settings.deploymentRetentionDays,
    database_used_percent: nearlyFullPercent(settings.databaseBytes, context.limits),
    has_owner: settings.hasOwner,
    token: {
      id: token.id,
      name: token.name,
      scopes: [...token.scopes],
      project_ids: token.projectIds === null ? null : [...token.projectIds],
      expires_at: timestamp(token.expiresAt),
    },
    member: member === null ? null : { id: member.id, name: member.name, is_owner: member.isOwner },
    permissions: context.permissions.map(({ scopes, projectIds }) => ({
      scopes: [...scopes],
      project_ids: projectIds === null ? null : [...projectIds],
    })),
  });
}

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
