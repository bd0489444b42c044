import { and, eq, gt, isNull, or, sql } from "drizzle-orm";

import { MAX_PENDING_CONNECTS } from "#contract/endpoints/connect/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { connectGrants, members } from "#worker/db/identity-tables.ts";
import { MAX_PER_ACCOUNT, type NewRow } from "#worker/db/owned-tables.ts";
import { hasProjects, unknownProjects } from "#worker/db/projects/list-projects.ts";
import { read, readerOf, select } from "#worker/db/reads.ts";
import { tokens } from "#worker/db/schema.ts";
import { hasStillRights, type Sender } from "#worker/db/tokens/has-still-rights.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";

export type NewConnectGrant = NewRow<typeof connectGrants>;

type GrantInsertion =
  | { readonly outcome: "inserted"; readonly expiresAt: number }
  | { readonly outcome: "exists" | "too_many_grants" | "too_many_tokens" }
  | { readonly outcome: "no_such_projects"; readonly projectIds: readonly ProjectId[] };

/**
 * Adds a grant if the account has its projects (each listed once) and room for its token. If an earlier try of the same request has
 * added it, returns that grant. `exists`: another request has allowed the command before.
 * @param now Unix milliseconds
 * @param recorded the writes that record it
 */
export async function insertConnectGrant(
  rows: AccountRows,
  grant: NewConnectGrant,
  now: number,
  sender: Sender,
  recorded: readonly Write[],
): Promise<GrantInsertion> {
  const wanted = grant.projectIds ?? [];
  const isPending = and(eq(connectGrants.memberId, grant.memberId), gt(connectGrants.expiresAt, now));
  const fewGrants = sql`${rows.countAll(connectGrants, isPending)} < ${MAX_PENDING_CONNECTS}`;
  const counted = and(isNull(tokens.revokedAt), eq(tokens.kind, "token"));
  const fewTokens = sql`${rows.countAll(tokens, counted)} < ${MAX_PER_ACCOUNT}`;
  const isPossible = sql`${hasProjects(rows, wanted)} and ${fewGrants} and ${fewTokens} and ${hasStillRights(rows, sender)}`;
  try {
    const insert = rows.insert(connectGrants, grant, isPossible);
    const [inserted] = await rows.runTogether([insert, ...recorded]);
    if (inserted === 1) return { outcome: "inserted", expiresAt: grant.expiresAt };
  } catch (error) {
    if (uniqueViolation(error) === null) throw error;
    const added = await rows.find(grantFields, connectGrants, grant.id);
    const isOwn = added !== null && isSame(added, grant);
    return isOwn ? { outcome: "inserted", expiresAt: added.expiresAt } : { outcome: "exists" };
  }
  const unknown = await unknownProjects(rows, wanted);
  if (unknown.length > 0) return { outcome: "no_such_projects", projectIds: unknown };
  const pending = await rows.select({ id: connectGrants.id }, connectGrants, {
    where: isPending,
    limit: MAX_PENDING_CONNECTS,
  });
  return { outcome: pending.length === MAX_PENDING_CONNECTS ? "too_many_grants" : "too_many_tokens" };
}

const grantFields = {
  memberId: connectGrants.memberId,
  proofChallenge: connectGrants.proofChallenge,
  name: connectGrants.name,
  scopes: connectGrants.scopes,
  projectIds: connectGrants.projectIds,
  lifetimeDays: connectGrants.lifetimeDays,
  expiresAt: connectGrants.expiresAt,
};

/** Whether two grants allow the same, however long a command can take the token. */
function isSame(one: Omit<NewConnectGrant, "id">, other: NewConnectGrant): boolean {
  const allowed = (grant: Omit<NewConnectGrant, "id">) =>
    JSON.stringify([
      ...[grant.memberId, grant.proofChallenge ?? null, grant.name, grant.scopes],
      ...[grant.projectIds ?? null, grant.lifetimeDays],
    ]);
  return allowed(one) === allowed(other);
}

const foundFields = {
  accountId: connectGrants.accountId,
  memberId: connectGrants.memberId,
  memberName: members.name,
  name: connectGrants.name,
  scopes: connectGrants.scopes,
  projectIds: connectGrants.projectIds,
  lifetimeDays: connectGrants.lifetimeDays,
};

/** What a command shows. `proofChallenge`: null: it has no proof. */
export type ConnectClaim = { readonly challenge: string; readonly proofChallenge: string | null };

/**
 * The grant that a command can take, with its member; null: there is none, or the member is removed. One read by the primary key. It
 * names no account, because it finds out whose token it is.
 * @param now Unix milliseconds
 */
export async function findConnectGrant(database: D1Database, claim: ConnectClaim, now: number) {
  const [found] = await read(
    database,
    select<typeof foundFields>(readerOf(foundFields), (cells) =>
      cells
        .from(connectGrants)
        .innerJoin(members, eq(members.id, connectGrants.memberId))
        .where(isClaimable(claim, now)),
    ),
  );
  return found ?? null;
}

/** A personal token that a command takes. */
export type ConnectedToken = Pick<
  NewRow<typeof tokens>,
  "id" | "name" | "hash" | "scopes" | "projectIds" | "memberId" | "createdAt" | "expiresAt"
>;

/**
 * Gives the token to the command and deletes the grant, in one transaction, if the grant and the member are still there. Of two
 * claims at the same time, one gets false.
 * @param recorded the writes that record the token
 */
export async function takeConnectGrant(
  rows: AccountRows,
  claim: ConnectClaim,
  token: ConnectedToken,
  recorded: readonly Write[],
): Promise<boolean> {
  const { memberId = null, createdAt } = token;
  const isThere = sql`${rows.count(connectGrants, isClaimable(claim, createdAt))} = 1`;
  const hasMember = sql`${rows.countAll(members, sql`${members.id} = ${memberId}`)} = 1`;
  const [inserted] = await rows.runTogether([
    rows.insert(tokens, { ...token, kind: "token" }, sql`${isThere} and ${hasMember}`),
    ...recorded,
    rows.delete(
      connectGrants,
      sql`${connectGrants.id} = ${claim.challenge} and ${isClaimable(claim, createdAt)}`,
    ),
  ]);
  return inserted === 1;
}

/** Whether a command may take the grant at a time (Unix milliseconds). A proof that is not needed is ignored. */
function isClaimable({ challenge, proofChallenge }: ConnectClaim, now: number) {
  const needsNone = isNull(connectGrants.proofChallenge);
  const isProved =
    proofChallenge === null ? needsNone : or(needsNone, eq(connectGrants.proofChallenge, proofChallenge));
  return and(eq(connectGrants.id, challenge), gt(connectGrants.expiresAt, now), isProved);
}
