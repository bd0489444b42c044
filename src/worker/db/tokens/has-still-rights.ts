import { and, eq, isNull, type SQL, sql } from "drizzle-orm";

import type { AccountRows } from "#worker/db/account-rows.ts";
import { members } from "#worker/db/identity-tables.ts";
import { tokens } from "#worker/db/schema.ts";
import type { TokenHolder, TokenIdentity } from "#worker/db/tokens/find-token-holder.ts";

/** The sender of a request, as it was authenticated. */
export type Sender = { readonly token: Pick<TokenIdentity, "id"> } & Pick<TokenHolder, "member">;

/**
 * Whether the token of a request is not revoked and its member may do what they could when the request was authenticated, for the
 * condition of a statement. Other isolates accept a revoked token for up to 10 s, and nothing must be made in that time that gives
 * access afterwards.
 */
export function hasStillRights(rows: AccountRows, { token, member }: Sender): SQL {
  const isValid = sql`${rows.countAll(tokens, and(eq(tokens.id, token.id), isNull(tokens.revokedAt)))} = 1`;
  if (member === null) return isValid;
  const { id, isOwner, grants } = member;
  const isUnchanged = and(
    eq(members.id, id),
    eq(members.isOwner, isOwner),
    sql`${members.grants} = ${JSON.stringify(grants)}`,
  );
  return sql`${isValid} and ${rows.countAll(members, isUnchanged)} = 1`;
}
