import { and, eq, gt, isNull, or, type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";

import type { AccountId, ProjectId, ServerId, TokenId } from "#contract/ids.ts";
import type { Scope } from "#contract/scopes.ts";
import type { Database } from "#worker/db/database.ts";
import { accounts, servers, tokens } from "#worker/db/schema.ts";

// The only statements on owned tables without an account in their condition: they are what tells whose a request is.
// Each finds its row by the hash of a secret that only its holder knows.

/** A token as its holder knows it, without the secret. */
export type TokenIdentity = {
  readonly id: TokenId;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The projects that the token is limited to; null: all of the account. */
  readonly projectIds: readonly ProjectId[] | null;
  /** When the secret that was sent stops working, in Unix milliseconds: a previous one does before the token. */
  readonly expiresAt: number;
  /** When it was last used, to the hour, as far as was known when it was looked up. */
  readonly lastUsedAt: number | null;
};

export type TokenHolder = {
  readonly token: TokenIdentity;
  readonly account: { readonly id: AccountId; readonly name: string };
};

/**
 * Whose token has that hash, or had it before it was rotated; null where there is none or it has been revoked. Its
 * expiry is not looked at.
 */
export async function findTokenHolder(database: Database, hash: string): Promise<TokenHolder | null> {
  const [found] = await drizzle(database)
    .select({
      token: {
        id: tokens.id,
        name: tokens.name,
        scopes: tokens.scopes,
        projectIds: tokens.projectIds,
        expiresAt: sql<number>`case when ${tokens.hash} = ${hash} then ${tokens.expiresAt} else ${tokens.previousExpiresAt} end`,
        lastUsedAt: tokens.lastUsedAt,
      },
      account: { id: accounts.id, name: accounts.name },
    })
    .from(tokens)
    .innerJoin(accounts, eq(accounts.id, tokens.accountId))
    .where(and(or(eq(tokens.hash, hash), eq(tokens.previousHash, hash)), isNull(tokens.revokedAt)));
  return found ?? null;
}

export type AgentIdentity = {
  readonly serverId: ServerId;
  readonly accountId: AccountId;
  readonly credentialHash: string;
};

/** Which server's agent has the credential with that hash; null where none has. */
export async function findAgent(database: Database, hash: string): Promise<AgentIdentity | null> {
  const [found] = await drizzle(database)
    .select({ serverId: servers.id, accountId: servers.accountId })
    .from(servers)
    .where(eq(servers.credentialHash, hash));
  return found === undefined ? null : { ...found, credentialHash: hash };
}

/** What making an enrolment takes, which spending it takes again. */
const ENROLLS: Scope = "servers:write";

/**
 * An enrolment token that has not expired, and whose maker may still make one. The token that made it can be revoked
 * because it leaked, so what it has made must not outlive it.
 */
function isSpendable(enrollmentHash: string, now: number): SQL | undefined {
  const maker = and(
    eq(tokens.id, servers.enrollmentMadeBy),
    eq(tokens.accountId, servers.accountId),
    isNull(tokens.revokedAt),
    gt(tokens.expiresAt, now),
    isNull(tokens.projectIds),
    sql`exists (select 1 from json_each(${tokens.scopes}) where value = ${ENROLLS})`,
  );
  return and(
    eq(servers.enrollmentHash, enrollmentHash),
    gt(servers.enrollmentExpiresAt, now),
    sql`exists (select 1 from ${tokens} where ${maker})`,
  );
}

/** Whether an enrolment token can be spent at that time (Unix milliseconds). A read: a wrong one causes no write. */
export async function hasEnrollment(
  database: Database,
  enrollmentHash: string,
  now: number,
): Promise<boolean> {
  const [found] = await drizzle(database)
    .select({ id: servers.id })
    .from(servers)
    .where(isSpendable(enrollmentHash, now));
  return found !== undefined;
}

export type Enrollment = {
  readonly enrollmentHash: string;
  readonly credentialHash: string;
  readonly agentVersion: string;
  /** Unix milliseconds. */
  readonly now: number;
};

/**
 * Spends an enrolment token for an agent's credential, which takes the place of the server's earlier one.
 * Returns the server; null where `hasEnrollment` is false: of two at the same instant one finds the token spent.
 */
export async function spendEnrollment(
  database: Database,
  { enrollmentHash, credentialHash, agentVersion, now }: Enrollment,
): Promise<ServerId | null> {
  const [enrolled] = await drizzle(database)
    .update(servers)
    .set({
      credentialHash,
      agentVersion,
      enrolledAt: sql`coalesce(${servers.enrolledAt}, ${now})`,
      enrollmentHash: null,
      enrollmentExpiresAt: null,
      enrollmentMadeBy: null,
    })
    .where(isSpendable(enrollmentHash, now))
    .returning({ id: servers.id });
  return enrolled?.id ?? null;
}
