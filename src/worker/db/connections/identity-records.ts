import { and, eq, ne, or, sql } from "drizzle-orm";

import { MAX_IDENTITIES } from "#contract/endpoints/profile/schemas.ts";
import type { ConnectionId, IdentityId, MemberId, TokenId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { connections, identities, members, passkeys, usedSecrets } from "#worker/db/identity-tables.ts";
import type { UsedSecret } from "#worker/db/members/member-records.ts";
import type { NewRow } from "#worker/db/owned-tables.ts";
import { tokens } from "#worker/db/schema.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";

/** The fields of an IdentityReading. */
function identityFields(rows: AccountRows) {
  return {
    id: identities.id,
    connectionId: identities.connectionId,
    connectionName: rows.firstNamed<string>(
      connections.name,
      connections,
      eq(connections.id, identities.connectionId),
      sql`1`,
    ),
    subject: identities.subject,
    memberId: identities.memberId,
    name: identities.name,
    createdAt: identities.createdAt,
    lastUsedAt: identities.lastUsedAt,
  };
}

/** An identity's row in D1, with the name of its connection. Times are Unix milliseconds. */
export type IdentityReading = Omit<typeof identities.$inferSelect, "accountId"> & {
  readonly connectionName: string | null;
};

export type NewIdentity = NewRow<typeof identities>;

/** A member's identities, the oldest first. */
export async function listIdentities(rows: AccountRows, memberId: MemberId): Promise<IdentityReading[]> {
  return await rows.select(identityFields, identities, {
    where: eq(identities.memberId, memberId),
    isNamed: true,
    orderBy: [identities.id.getSQL()],
  });
}

/** A member's identities, the oldest first, and the connections of the account. One round trip. */
export async function findWaysToSignIn(rows: AccountRows, memberId: MemberId) {
  const [own, offered] = await rows.selectBoth(
    [
      identityFields,
      identities,
      { where: eq(identities.memberId, memberId), isNamed: true, orderBy: [identities.id.getSQL()] },
    ],
    [
      { id: connections.id, kind: connections.kind, name: connections.name },
      connections,
      { orderBy: [connections.id.getSQL()] },
    ],
  );
  return { identities: own, connections: offered };
}

// `recorded`: what records the change (`requestWrites`), in the same batch.

/** Whether a connection exists, for the condition of a statement. */
export function hasConnection(rows: AccountRows, id: ConnectionId) {
  return sql`${rows.countAll(connections, eq(connections.id, id))} = 1`;
}

/** Adds an identity of a member, if there is room. The state counts once. */
export async function insertIdentity(
  rows: AccountRows,
  identity: NewIdentity,
  state: UsedSecret,
  recorded: readonly Write[],
): Promise<"added" | "used_before" | "identity_exists" | "too_many"> {
  const { memberId, connectionId } = identity;
  const isThere = sql`${rows.countAll(members, eq(members.id, memberId))} = 1`;
  const hasRoom = sql`${rows.countAll(identities, eq(identities.memberId, memberId))} < ${MAX_IDENTITIES}`;
  const isPossible = sql`${isThere} and ${hasRoom} and ${hasConnection(rows, connectionId)}`;
  const isAdded = sql`${rows.countAll(identities, eq(identities.id, identity.id))} = 1`;
  try {
    const [added] = await rows.runTogether([
      rows.insert(identities, identity, isPossible),
      ...recorded,
      rows.insert(usedSecrets, state, isAdded),
    ]);
    return added === 1 ? "added" : "too_many";
  } catch (error) {
    const taken = uniqueViolation(error);
    if (taken === "used_secrets.id") return "used_before";
    if (taken === "identities.connection_id, identities.subject") return "identity_exists";
    throw error;
  }
}

/** Removes an identity of a member, unless it is their last way to sign in. @returns false if it was not removed */
export async function removeIdentity(
  rows: AccountRows,
  memberId: MemberId,
  id: IdentityId,
  recorded: readonly Write[],
): Promise<boolean> {
  const others = and(eq(identities.memberId, memberId), ne(identities.id, id));
  const hasOther = or(
    sql`${rows.countAll(passkeys, eq(passkeys.memberId, memberId))} > 0`,
    sql`${rows.countAll(identities, others)} > 0`,
  );
  const where = sql`${identities.id} = ${id} and ${identities.memberId} = ${memberId} and ${hasOther}`;
  const [removed] = await rows.runTogether([rows.delete(identities, where), ...recorded]);
  return removed === 1;
}

/** Confirms a session by an identity of its member. The state counts once. @param now Unix milliseconds */
export async function confirmByIdentity(
  rows: AccountRows,
  { connectionId, subject, memberId }: Pick<NewIdentity, "connectionId" | "subject" | "memberId">,
  tokenId: TokenId,
  now: number,
  state: UsedSecret,
  recorded: readonly Write[],
): Promise<"confirmed" | "used_before" | "not_theirs"> {
  const isIdentity = and(
    eq(identities.connectionId, connectionId),
    eq(identities.subject, subject),
    eq(identities.memberId, memberId),
  );
  const isTheirs = sql`${rows.countAll(identities, isIdentity)} = 1`;
  const isSession = and(eq(tokens.id, tokenId), eq(tokens.memberId, memberId), isTheirs);
  try {
    const [confirmed] = await rows.runTogether([
      rows.update(tokens, { authenticatedAt: now, connectionId }, isSession),
      ...recorded,
      rows.insert(usedSecrets, state, isTheirs),
    ]);
    return confirmed === 1 ? "confirmed" : "not_theirs";
  } catch (error) {
    if (uniqueViolation(error) === "used_secrets.id") return "used_before";
    throw error;
  }
}
