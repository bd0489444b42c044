import { and, eq, isNull, or, sql } from "drizzle-orm";

import type { AccountId, ProjectId, TokenId } from "#contract/ids.ts";
import type { Permission } from "#contract/permissions.ts";
import type { Scope } from "#contract/scopes.ts";
import { accounts, tokens } from "#worker/db/schema.ts";
import { read, readerOf, type Select, select } from "#worker/db/reads.ts";

/** A token without its secret. */
export type TokenIdentity = {
  readonly id: TokenId;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The projects that the token is limited to; null: no limit. */
  readonly projectIds: readonly ProjectId[] | null;
  /** When the secret that was sent expires, in Unix milliseconds. A rotated secret expires before its token. */
  readonly expiresAt: number;
  /** The first use in the hour of the last use, as of this read. */
  readonly lastUsedAt: number | null;
};

export type TokenHolder = {
  readonly token: TokenIdentity;
  /** What the token allows now. */
  readonly permissions: readonly Permission[];
  readonly account: { readonly id: AccountId; readonly name: string };
};

const hash = sql.placeholder("hash");

const fields = {
  id: tokens.id,
  name: tokens.name,
  scopes: tokens.scopes,
  projectIds: tokens.projectIds,
  expiresAt: sql<number>`case when ${tokens.hash} = ${hash} then ${tokens.expiresAt} else ${tokens.previousExpiresAt} end`,
  lastUsedAt: tokens.lastUsedAt,
  accountId: accounts.id,
  accountName: accounts.name,
};

let prepared: Select<typeof fields> | null = null;

/**
 * Finds the token that has this hash, or had it before the last rotation, and its account.
 * Does not check the expiry. The statement names no account, because it finds out which account sends the request.
 * @returns null if the token does not exist or is revoked
 */
export async function findTokenHolder(database: D1Database, sent: string): Promise<TokenHolder | null> {
  // Every request runs it, and Drizzle takes 60 µs to write it.
  prepared ??= selectHolder();
  const [found] = await read(database, prepared, { hash: sent });
  if (found === undefined) return null;
  const { accountId, accountName, ...token } = found;
  return { token, permissions: [token], account: { id: accountId, name: accountName } };
}

function selectHolder(): Select<typeof fields> {
  const isIt = and(or(eq(tokens.hash, hash), eq(tokens.previousHash, hash)), isNull(tokens.revokedAt));
  return select(readerOf(fields), (cells) =>
    cells.from(tokens).innerJoin(accounts, eq(accounts.id, tokens.accountId)).where(isIt),
  );
}
