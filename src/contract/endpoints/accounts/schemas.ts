import * as z from "zod/mini";

import { wholeBetween } from "#contract/bounds.ts";
import { MemberReference } from "#contract/endpoints/members/reference.ts";
import { AccountId, ProjectId, TokenId } from "#contract/ids.ts";
import { Scope } from "#contract/scopes.ts";
import { growing } from "#contract/growing.ts";

export const DEFAULT_LOG_RETENTION_DAYS = 90;
const MAX_RETENTION_DAYS = 3650;

/** Scopes in some projects; `project_ids` null: in all of the account. */
export const AccountPermission = z.strictObject({
  scopes: z.array(growing(Scope)),
  project_ids: z.nullable(z.array(ProjectId)),
});

/** Days after the end of a deployment. */
const RetentionDays = wholeBetween(1, MAX_RETENTION_DAYS);

/** `member`: the person of the token; null: none. `has_owner`: whether a member is an owner. `permissions`: what the token allows now. They add up. */
export const Account = z.strictObject({
  id: AccountId,
  name: z.string(),
  log_retention_days: RetentionDays,
  deployment_retention_days: z.nullable(RetentionDays),
  database_used_percent: z.nullable(z.int()),
  has_owner: z.boolean(),
  token: z.strictObject({
    id: TokenId,
    name: z.string(),
    scopes: z.array(growing(Scope)),
    project_ids: z.nullable(z.array(ProjectId)),
    expires_at: z.string(),
  }),
  member: z.nullable(z.extend(MemberReference, { is_owner: z.boolean() })),
  permissions: z.array(AccountPermission),
});
export type Account = z.infer<typeof Account>;

export const UpdateAccountInput = z.strictObject({
  log_retention_days: z.optional(RetentionDays),
  deployment_retention_days: z.optional(z.nullable(RetentionDays)),
});
export type UpdateAccountInput = z.infer<typeof UpdateAccountInput>;

export const HealthQuery = z.strictObject({ deep: z.optional(z.literal("true")) });

/** The copy of the database that serves reads from where the request was sent. Null: unknown, as on a local installation. */
export const ReadingFrom = z.strictObject({
  region: z.nullable(z.string()),
  primary: z.nullable(z.boolean()),
});
export type ReadingFrom = z.infer<typeof ReadingFrom>;

/** `database`: if the request is `deep`. */
export const Health = z.strictObject({ status: z.literal("ok"), database: z.optional(ReadingFrom) });
export type Health = z.infer<typeof Health>;
