import { and, eq, isNull, or, sql } from "drizzle-orm";

import type { TokenPurpose } from "#contract/endpoints/tokens/schemas.ts";
import type { AccountId, MemberId, ProjectId, TokenId } from "#contract/ids.ts";
import type { Permission } from "#contract/permissions.ts";
import type { Scope } from "#contract/scopes.ts";
import { type MemberRights, narrowed, permissionsOfMember } from "#domain/members/member-permissions.ts";
import { connections, identities, members, passkeys } from "#worker/db/identity-tables.ts";
import { accounts, tokens } from "#worker/db/schema.ts";
import { read, readerOf, type Select, select } from "#worker/db/reads.ts";

/** A token without its secret. */
export type TokenIdentity = {
  readonly id: TokenId;
  readonly kind: TokenPurpose;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The projects that the token is limited to; null: no limit. */
  readonly projectIds: readonly ProjectId[] | null;
  /** When the secret that was sent expires, in Unix milliseconds. A rotated secret expires before its token. */
  readonly expiresAt: number;
  /** From when a personal token pauses, unless its member signs in before, in Unix milliseconds; null: never. */
  readonly pausesAt: number | null;
  /** The first use in the hour of the last use, as of this read. */
  readonly lastUsedAt: number | null;
  /** The member who made the secret that was sent of a service token; null: not known. */
  readonly createdBy: MemberId | null;
  /** When the member of a session last used a passkey in it, in Unix milliseconds; null: never. */
  readonly authenticatedAt: number | null;
};

/** The person whose session or personal token a token is. */
export type TokenMember = { readonly id: MemberId; readonly name: string } & MemberRights;

export type TokenHolder = {
  readonly token: TokenIdentity;
  /** What the token allows now. */
  readonly permissions: readonly Permission[];
  /** Null: a service token, a job's token, or the session of a sign-in link that is nobody's. */
  readonly member: TokenMember | null;
  readonly account: { readonly id: AccountId; readonly name: string };
};

const hash = sql.placeholder("hash");

const DAY_MS = 86_400_000;
/** Of a connection whose tokens do not pause. */
const NEVER_DAYS = 36_500;

/**
 * When a personal token pauses: some days after the last sign-in of its member, if they have an identity at a provider. A person
 * who has left can no longer sign in there. Owners are never locked out.
 */
const pausesAt = sql<number | null>`case when ${tokens.kind} = 'token' and ${members.isOwner} = 0 then (
  select max(max(
    coalesce(${identities.lastUsedAt}, ${identities.createdAt}),
    coalesce((select max(coalesce(${passkeys.lastUsedAt}, ${passkeys.createdAt})) from ${passkeys} where ${passkeys.memberId} = ${members.id}), 0)
  ) + coalesce(${connections.tokenDays}, ${sql.raw(String(NEVER_DAYS))}) * ${sql.raw(String(DAY_MS))})
  from ${identities} inner join ${connections} on ${connections.id} = ${identities.connectionId}
  where ${identities.memberId} = ${members.id}
) end`;

const fields = {
  id: tokens.id,
  name: tokens.name,
  scopes: tokens.scopes,
  projectIds: tokens.projectIds,
  expiresAt: sql<number>`case when ${tokens.hash} = ${hash} then ${tokens.expiresAt} else ${tokens.previousExpiresAt} end`,
  lastUsedAt: tokens.lastUsedAt,
  kind: tokens.kind,
  createdBy: sql<MemberId | null>`case when ${tokens.hash} = ${hash} then ${tokens.createdBy} else ${tokens.previousCreatedBy} end`,
  pausesAt,
  authenticatedAt: tokens.authenticatedAt,
  memberId: tokens.memberId,
  memberName: members.name,
  isOwner: members.isOwner,
  grants: members.grants,
  accountId: accounts.id,
  accountName: accounts.name,
};

let prepared: Select<typeof fields> | null = null;

/**
 * Finds the token that has this hash, or had it before the last rotation, and its account.
 * Does not check the expiry. The statement names no account, because it finds out which account sends the request.
 * @returns null if the token does not exist or is revoked, or its member is removed
 */
export async function findTokenHolder(database: D1Database, sent: string): Promise<TokenHolder | null> {
  // Every request runs it, and Drizzle takes 60 µs to write it.
  prepared ??= selectHolder();
  const [found] = await read(database, prepared, { hash: sent });
  if (found === undefined) return null;
  const { accountId, accountName, memberId, memberName, isOwner, grants, ...token } = found;
  const account = { id: accountId, name: accountName };
  if (memberId === null) {
    const { scopes, projectIds } = token;
    return { token, permissions: [{ scopes, projectIds }], member: null, account };
  }
  // The token of a removed member is dead, also if its revocation was missed.
  if (memberName === null || isOwner === null || grants === null) return null;
  const permissions = narrowed(permissionsOfMember({ isOwner, grants }), token);
  return { token, permissions, member: { id: memberId, name: memberName, isOwner, grants }, account };
}

function selectHolder(): Select<typeof fields> {
  const isIt = and(or(eq(tokens.hash, hash), eq(tokens.previousHash, hash)), isNull(tokens.revokedAt));
  return select(readerOf(fields), (cells) =>
    cells
      .from(tokens)
      .innerJoin(accounts, eq(accounts.id, tokens.accountId))
      .leftJoin(members, eq(members.id, tokens.memberId))
      .where(isIt),
  );
}
