import * as z from "zod/mini";

import { listBetween, wholeBetween } from "#contract/bounds.ts";
import { MemberReference } from "#contract/endpoints/members/reference.ts";
import { ProjectId, TokenId } from "#contract/ids.ts";
import { NextCursor } from "#contract/paging.ts";
import { DisplayName } from "#contract/endpoints/projects/settings.ts";
import { allScopes, Scope } from "#contract/scopes.ts";
import { growing } from "#contract/growing.ts";

export const MAX_LIFETIME_DAYS = 366;
export const DEFAULT_LIFETIME_DAYS = 90;

/** The maximum number of projects of an account. */
const MAX_PROJECT_IDS = 1_000;

/** Names need not be unique. `project_ids`: the projects that the token can access; `null`: all of the account. */
export const CreateTokenInput = z.strictObject({
  name: DisplayName,
  scopes: listBetween(Scope, 1, allScopes.length),
  project_ids: z._default(z.nullable(listBetween(ProjectId, 1, MAX_PROJECT_IDS)), null),
  expires_in_days: z._default(wholeBetween(1, MAX_LIFETIME_DAYS), DEFAULT_LIFETIME_DAYS),
});
export type CreateTokenInput = z.infer<typeof CreateTokenInput>;

/**
 * `session`: a person signed in to the dashboard. `exchange`: a job got it by a trust rule. Both expire and cannot be
 * rotated.
 */
export const TokenPurpose = z.enum(["token", "session", "exchange"]);
export type TokenPurpose = z.infer<typeof TokenPurpose>;

/**
 * A token without its secret. `previous_expires_at`: until when the secret from before the last rotation works; `null`
 * if it does not. `last_used_at`: its first use in the hour in which it was last used. `member`: whose session or personal token it is;
 * it then allows what the member may do too.
 */
export const Token = z.strictObject({
  id: TokenId,
  kind: growing(TokenPurpose),
  name: z.string(),
  scopes: z.array(growing(Scope)),
  project_ids: z.nullable(z.array(ProjectId)),
  member: z.nullable(MemberReference),
  created_at: z.string(),
  rotated_at: z.nullable(z.string()),
  expires_at: z.string(),
  previous_expires_at: z.nullable(z.string()),
  last_used_at: z.nullable(z.string()),
});
export type Token = z.infer<typeof Token>;

/** The response to creating and rotating a token. `token` is the secret, which is not shown again. */
export const TokenWithSecret = z.extend(Token, { token: z.string() });
export type TokenWithSecret = z.infer<typeof TokenWithSecret>;

export const TokenRows = z.strictObject({ tokens: z.array(Token), next_cursor: NextCursor });
export type TokenRows = z.infer<typeof TokenRows>;
