import { and, eq, gt, or, sql } from "drizzle-orm";

import type { ConnectionId, InvitationId } from "#contract/ids.ts";
import type { KnownPerson, SigningMember } from "#domain/sign-in/decide-sign-in.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { hasConnection, type NewIdentity } from "#worker/db/connections/identity-records.ts";
import {
  connections,
  identities,
  invitations,
  members,
  passkeys,
  usedSecrets,
} from "#worker/db/identity-tables.ts";
import {
  endsOfLoss,
  hasRoom,
  losesRights,
  type NewMember,
  type UsedSecret,
} from "#worker/db/members/member-records.ts";
import { tokens } from "#worker/db/schema.ts";
import type { NewSession } from "#worker/db/sessions/session-records.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";

type Sought = {
  readonly connectionId: ConnectionId;
  readonly subject: string;
  /** An address that may find a member or an invitation; null: none. */
  readonly address: string | null;
  /** SHA-256 in hex of the code of an invitation; null: none was sent. */
  readonly invitationHash: string | null;
};

/** What the account knows of a person. One round trip. @param now Unix milliseconds */
export async function findKnownPerson(
  rows: AccountRows,
  { connectionId, subject, address, invitationHash }: Sought,
  now: number,
): Promise<KnownPerson> {
  const isIdentity = and(eq(identities.connectionId, connectionId), eq(identities.subject, subject));
  const known = sql`(${rows.column(identities.memberId, identities, isIdentity, 1)})`;
  const hasAddress = and(eq(members.accountId, rows.accountId), eq(members.email, address ?? ""));
  const memberFields = {
    id: members.id,
    name: members.name,
    isOwner: members.isOwner,
    grants: members.grants,
    isKnown: sql<number | null>`${members.id} = ${known}`,
    passkeys: rows.count(passkeys, eq(passkeys.memberId, members.id)),
  };
  const invitationFields = {
    id: invitations.id,
    email: invitations.email,
    grants: invitations.grants,
    isSent: sql<number>`${invitations.hash} = ${invitationHash ?? ""}`,
  };
  const ofInvitation = or(
    eq(invitations.hash, invitationHash ?? ""),
    and(eq(invitations.accountId, rows.accountId), eq(invitations.email, address ?? "")),
  );
  const [people, invited] = await rows.selectBoth(
    [memberFields, members, { where: or(sql`${members.id} = ${known}`, hasAddress), isNamed: true }],
    [
      invitationFields,
      invitations,
      {
        where: and(ofInvitation, gt(invitations.expiresAt, now)),
        isNamed: true,
        orderBy: [invitations.id.getSQL()],
      },
    ],
  );
  const found = people.find(({ isKnown }) => isKnown !== 1);
  return {
    member: people.find(({ isKnown }) => isKnown === 1) ?? null,
    withAddress: found === undefined ? null : { ...found, hasPasskey: found.passkeys > 0 },
    invitation: invited.find(({ isSent }) => isSent === 1) ?? null,
    invitationOfAddress: invited.find(({ isSent }) => isSent !== 1) ?? null,
  };
}

/** A sign-in that a provider's answer gives. `identity.id`: of a new one; an identity that exists keeps its own. */
export type ProviderSignIn = {
  readonly identity: NewIdentity;
  readonly session: NewSession;
  readonly state: UsedSecret;
};

/** What changes of a member whose groups have changed, and what records it. */
export type GrantsChange = {
  readonly before: SigningMember;
  readonly grants: SigningMember["grants"];
  readonly recorded: readonly Write[];
};

export type ProviderOutcome = "signed_in" | "used_before" | "not_possible" | "email_taken";

/**
 * Signs a member in by an identity, in one transaction: the state counts once. `not_possible`: the member, the identity or the connection
 * has gone meanwhile.
 * @param newIdentity what records the identity if it is new; null: it exists
 */
export async function signInByIdentity(
  rows: AccountRows,
  { identity, session, state }: ProviderSignIn,
  newIdentity: readonly Write[] | null,
  change: GrantsChange | null,
  recorded: readonly Write[],
): Promise<ProviderOutcome> {
  const { memberId, connectionId, subject, name } = identity;
  const isOwn = and(
    eq(identities.connectionId, connectionId),
    eq(identities.subject, subject),
    eq(identities.memberId, memberId),
  );
  const isMember = sql`${rows.countAll(members, eq(members.id, memberId))} = 1`;
  const hasIdentity = newIdentity === null ? sql`${rows.countAll(identities, isOwn)} = 1` : sql`true`;
  const isThere = sql`${isMember} and ${hasIdentity} and ${hasConnection(rows, connectionId)}`;
  const isSignedIn = sql`${rows.count(tokens, eq(tokens.id, session.id))} = 1`;
  const used = { name: name ?? null, lastUsedAt: session.createdAt };
  return await together(rows, [
    rows.insert(tokens, { ...session, kind: "session" }, isThere),
    ...recorded,
    rows.insert(usedSecrets, state, isSignedIn),
    ...(newIdentity === null
      ? [rows.update(identities, used, and(isOwn, isSignedIn))]
      : [rows.insert(identities, identity, isSignedIn), ...newIdentity]),
    ...(change === null ? [] : grantWrites(rows, change, isSignedIn)),
    rows.update(
      connections,
      { lastUsedAt: session.createdAt },
      and(eq(connections.id, connectionId), isSignedIn),
    ),
  ]);
}

/** Never of an owner, and only if nobody else has changed the grants meanwhile. */
function grantWrites(
  rows: AccountRows,
  { before, grants, recorded }: GrantsChange,
  onlyIf: ReturnType<typeof hasConnection>,
): Write[] {
  const isAs = (value: SigningMember["grants"]) =>
    and(
      eq(members.id, before.id),
      eq(members.isOwner, false),
      sql`${members.grants} = ${JSON.stringify(value)}`,
    );
  const hasChanged = sql`${rows.countAll(members, isAs(grants))} = 1 and ${onlyIf}`;
  return [
    rows.update(members, { grants }, and(isAs(before.grants), onlyIf)),
    ...recorded,
    ...(losesRights(before, { ...before, grants }) ? endsOfLoss(rows, before.id, hasChanged) : []),
  ];
}

/**
 * Makes a person a member by a provider and signs them in, in one transaction. `not_possible`: there is no room, or the invitation or
 * the connection has gone meanwhile.
 * @param invitationId the invitation that is used up; null: none
 */
export async function joinByIdentity(
  rows: AccountRows,
  { identity, session, state }: ProviderSignIn,
  member: NewMember,
  invitationId: InvitationId | null,
  recorded: readonly Write[],
): Promise<ProviderOutcome> {
  const { connectionId } = identity;
  const isOpen = and(sql`${invitations.id} = ${invitationId}`, gt(invitations.expiresAt, session.createdAt));
  const isInvited = invitationId === null ? sql`true` : sql`${rows.countAll(invitations, isOpen)} = 1`;
  const isPossible = sql`${isInvited} and ${hasRoom(rows)} and ${hasConnection(rows, connectionId)}`;
  const hasJoined = sql`${rows.countAll(members, eq(members.id, member.id))} = 1`;
  return await together(rows, [
    // First, so that a repeated answer is refused for what it is, and not for the address of the member that it made.
    rows.insert(usedSecrets, state, isPossible),
    rows.insert(members, member, isPossible),
    ...recorded,
    rows.insert(identities, identity, hasJoined),
    rows.insert(tokens, { ...session, kind: "session" }, hasJoined),
    ...(invitationId === null
      ? []
      : [rows.delete(invitations, sql`${invitations.id} = ${invitationId} and ${hasJoined}`)]),
    rows.update(
      connections,
      { lastUsedAt: session.createdAt },
      and(eq(connections.id, connectionId), hasJoined),
    ),
  ]);
}

async function together(rows: AccountRows, writes: readonly Write[]): Promise<ProviderOutcome> {
  try {
    const [changed] = await rows.runTogether(writes);
    return changed === 1 ? "signed_in" : "not_possible";
  } catch (error) {
    const taken = uniqueViolation(error);
    if (taken === "used_secrets.id") return "used_before";
    // Two first sign-ins at the same time.
    if (taken === "identities.connection_id, identities.subject") return "not_possible";
    if (taken === "members.account_id, members.email") return "email_taken";
    throw error;
  }
}
