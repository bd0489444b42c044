import { and, eq, gt, isNull, sql, type SQL } from "drizzle-orm";

import type { MemberId, TokenId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import type { Database } from "#worker/db/database-session.ts";
import { requiresSso } from "#worker/db/connections/connection-records.ts";
import { members, recoveryCodes, signInCodes } from "#worker/db/identity-tables.ts";
import type { NewRow } from "#worker/db/owned-tables.ts";
import { read, readerOf, select } from "#worker/db/reads.ts";
import { tokens } from "#worker/db/schema.ts";

export type NewSession = Pick<
  NewRow<typeof tokens>,
  | "id"
  | "name"
  | "hash"
  | "scopes"
  | "memberId"
  | "authenticatedAt"
  | "connectionId"
  | "createdAt"
  | "expiresAt"
>;

// The reads name no account, because they find out whose code it is. They only read, so that a wrong code causes no write.

const codeFields = {
  accountId: signInCodes.accountId,
  memberId: signInCodes.memberId,
  memberName: members.name,
  hasOwner: sql<number>`exists (select 1 from ${members} as owner where owner.account_id = ${signInCodes.accountId} and owner.is_owner = 1)`,
};

/**
 * The sign-in code that can be spent at this time (Unix milliseconds), with its account and whose session it gives; null: there is
 * none.
 */
export async function findSignInCode(database: Database, codeHash: string, now: number) {
  const [found] = await read(
    database,
    select<typeof codeFields>(readerOf(codeFields), (cells) =>
      cells
        .from(signInCodes)
        .leftJoin(members, eq(members.id, signInCodes.memberId))
        .where(isValid(codeHash, now)),
    ),
  );
  return found === undefined ? null : { ...found, hasOwner: found.hasOwner === 1 };
}

/**
 * Spends a sign-in code and creates a session, in one transaction. Returns false if the code is unknown, expired or
 * spent, or its member is gone. Of two requests at the same time, one gets false.
 * @param recorded the writes that record the session
 */
export async function spendSignInCode(
  rows: AccountRows,
  codeHash: string,
  session: NewSession,
  recorded: readonly Write[],
): Promise<boolean> {
  const isThere = sql`${rows.count(signInCodes, isValid(codeHash, session.createdAt))} > 0 and ${hasMember(rows, session)}`;
  const [inserted] = await rows.runTogether([
    rows.insert(tokens, { ...session, kind: "session" }, isThere),
    ...recorded,
    rows.delete(signInCodes, eq(signInCodes.hash, codeHash)),
  ]);
  return inserted === 1;
}

function isValid(codeHash: string, now: number) {
  return and(eq(signInCodes.hash, codeHash), gt(signInCodes.expiresAt, now));
}

/** Whether the member of a session exists, or it is nobody's. */
function hasMember(rows: AccountRows, { memberId }: NewSession): SQL {
  return memberId === null || memberId === undefined
    ? sql`true`
    : sql`${rows.countAll(members, eq(members.id, memberId))} = 1`;
}

const recoveryFields = {
  accountId: recoveryCodes.accountId,
  memberId: members.id,
  memberName: members.name,
  isOwner: members.isOwner,
  requiresSso: requiresSso(recoveryCodes.accountId.getSQL()),
};

/** Whose recovery code has this hash; null: nobody's. */
export async function findRecoveryCode(database: Database, hash: string) {
  const [found] = await read(
    database,
    select<typeof recoveryFields>(readerOf(recoveryFields), (cells) =>
      cells
        .from(recoveryCodes)
        .innerJoin(members, eq(members.id, recoveryCodes.memberId))
        .where(eq(recoveryCodes.id, hash)),
    ),
  );
  return found ?? null;
}

/** As `spendSignInCode`, for a recovery code. */
export async function spendRecoveryCode(
  rows: AccountRows,
  hash: string,
  session: NewSession,
  recorded: readonly Write[],
): Promise<boolean> {
  const isThere = sql`${rows.countAll(recoveryCodes, eq(recoveryCodes.id, hash))} = 1 and ${hasMember(rows, session)}`;
  const [inserted] = await rows.runTogether([
    rows.insert(tokens, { ...session, kind: "session" }, isThere),
    ...recorded,
    rows.delete(recoveryCodes, sql`${recoveryCodes.id} = ${hash}`),
  ]);
  return inserted === 1;
}

/**
 * Ends a session. Returns false if the token is not a session. Safe to repeat.
 * @param now Unix milliseconds
 * @param recorded the writes that record it
 */
export async function markSessionEnded(
  rows: AccountRows,
  id: TokenId,
  now: number,
  recorded: readonly Write[],
): Promise<boolean> {
  const where = and(eq(tokens.id, id), eq(tokens.kind, "session"));
  const revokedAt = sql`coalesce(${tokens.revokedAt}, ${now})`;
  const [ended] = await rows.runTogether([rows.update(tokens, { revokedAt }, where), ...recorded]);
  return ended === 1;
}

/** Ends all sessions of a member. @param now Unix milliseconds @returns their ids */
export async function endMemberSessions(
  rows: AccountRows,
  memberId: MemberId,
  now: number,
  recorded: readonly Write[],
): Promise<void> {
  const where = and(eq(tokens.memberId, memberId), eq(tokens.kind, "session"), isNull(tokens.revokedAt));
  await rows.runTogether([rows.update(tokens, { revokedAt: now }, where), ...recorded]);
}
