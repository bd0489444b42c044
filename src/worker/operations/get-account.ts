import type { Account } from "#contract/account.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { timestamp } from "#worker/views/timestamp.ts";

/** The account, and the token that asks. */
export async function getAccount({ account, token }: Context): Promise<Result<Account, never>> {
  return succeed({
    id: account.id,
    name: account.name,
    token: {
      id: token.id,
      name: token.name,
      scopes: [...token.scopes],
      project_ids: token.projectIds === null ? null : [...token.projectIds],
      expires_at: timestamp(token.expiresAt),
    },
  });
}
