import { and, desc, eq, isNull, ne, type SQL, sql } from "drizzle-orm";

import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import { MAX_MEMBERS } from "#contract/endpoints/members/schemas.ts";
import type { MemberId } from "#contract/ids.ts";
import { type MemberRights, permissionsOfMember } from "#domain/members/member-permissions.ts";
import { excessOver } from "#domain/token-grant.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import {
  identities,
  invitations,
  members,
  passkeys,
  recoveryCodes,
  trustRules,
} from "#worker/db/identity-tables.ts";
import type { NewRow } from "#worker/db/owned-tables.ts";
import { newestFirst, type Position, type Selection } from "#worker/db/reads.ts";
import { servers, tokens } from "#worker/db/schema.ts";
import { hasStillRights, type Sender } from "#worker/db/tokens/has-still-rights.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";

/** The fields of a MemberReading. */
export function memberFields(rows: AccountRows) {
  return {
    id: members.id,
    name: members.name,
    email: members.email,
    isOwner: members.isOwner,
    grants: members.grants,
    createdAt: members.createdAt,
    passkeys: rows.count(passkeys, eq(passkeys.memberId, members.id)),
    lastUsedAt: rows.firstNamed<number>(
      sql`max(${tokens.lastUsedAt})`,
      tokens,
      eq(tokens.memberId, members.id),
      sql`1`,
    ),
  };
}

/** A member's row in D1, with how many passkeys they have and the last use of their tokens. Times are Unix milliseconds. */
export type MemberReading = Omit<typeof members.$inferSelect, "accountId"> & {
  readonly passkeys: number;
  readonly lastUsedAt: number | null;
};

/** The account's member with this id; null: there is none. */
export async function findMember(rows: AccountRows, id: MemberId): Promise<MemberReading | null> {
  return await rows.find(memberFields, members, id);
}

/** The account's members, newest first. */
export async function listMembers(rows: AccountRows, position: Position<MemberId>): Promise<MemberReading[]> {
  return await rows.select(memberFields, members, newestFirst(members.id, position));
}

/** The most tokens and trust rules of a member that are shown. */
const MOST_CREATED = 100;

/** The service tokens and trust rules that a member has created, newest first. */
export async function createdByMember(rows: AccountRows, id: MemberId) {
  const isToken = and(eq(tokens.createdBy, id), isNull(tokens.revokedAt), eq(tokens.kind, "token"));
  const [madeTokens, madeRules] = await rows.selectBoth(
    [{ id: tokens.id, name: tokens.name }, tokens, newestOf(tokens.id, isToken)],
    [
      { id: trustRules.id, name: trustRules.name },
      trustRules,
      newestOf(trustRules.id, eq(trustRules.createdBy, id)),
    ],
  );
  return { tokens: madeTokens, trustRules: madeRules };
}

function newestOf(id: SQLiteColumn, where: SQL | undefined): Selection {
  return { where, isNamed: true, orderBy: [desc(id)], limit: MOST_CREATED };
}

/** Whether a member of the account has this address. */
export async function isEmailTaken(rows: AccountRows, email: string): Promise<boolean> {
  const where = eq(members.email, email);
  const [found] = await rows.select({ id: members.id }, members, { where, limit: 1 });
  return found !== undefined;
}

// `recorded`: what records the change (`requestWrites`), in the same batch.

/** How many members and open invitations the account has, for the condition of a statement. */
export function countPeople(rows: AccountRows, now: number): SQL {
  return sql`${rows.countAll(members)} + ${rows.countAll(invitations, sql`${invitations.expiresAt} > ${now}`)}`;
}

/** Whether the account has room for another member. An accepted invitation makes the room that it took. */
export function hasRoom(rows: AccountRows): SQL {
  return sql`${rows.countAll(members)} < ${MAX_MEMBERS}`;
}

export type NewMember = NewRow<typeof members>;
export type NewPasskeyRow = NewRow<typeof passkeys>;

/** Whether the account has an owner besides this member. */
function hasOtherOwner(rows: AccountRows, id: MemberId): SQL {
  return sql`${rows.countAll(members, and(ne(members.id, id), eq(members.isOwner, true)))} > 0`;
}

/**
 * Changes a member if they are as they were read, the sender still has the rights that they had, and an owner is left. If they may do
 * less afterwards, their enrolments and invitations end. `not_changed`: one of these is not so.
 */
export async function changeMember(
  rows: AccountRows,
  before: MemberReading,
  after: MemberReading,
  sender: Sender,
  recorded: readonly Write[],
): Promise<"changed" | "email_taken" | "not_changed"> {
  const { id, name, email, isOwner, grants } = after;
  const keepsOwner = before.isOwner && !isOwner ? hasOtherOwner(rows, id) : undefined;
  const isPossible = and(isUnchanged(before), keepsOwner, hasStillRights(rows, sender));
  const update = rows.update(members, { name, email, isOwner, grants }, isPossible);
  const hasChanged = sql`${rows.count(members, isUnchanged(after))} = 1`;
  const ends = losesRights(before, after) ? endsOfLoss(rows, id, hasChanged) : [];
  try {
    const [changed] = await rows.runTogether([update, ...recorded, ...ends]);
    return changed === 1 ? "changed" : "not_changed";
  } catch (error) {
    if (uniqueViolation(error) !== null) return "email_taken";
    throw error;
  }
}

/** Whether a member may do less afterwards. */
export function losesRights(before: MemberRights, after: MemberRights): boolean {
  const own = permissionsOfMember(after);
  return permissionsOfMember(before).some((earlier) => excessOver(own, earlier) !== null);
}

/** What ends if a member may do less: what they could get their rights back by. */
export function endsOfLoss(rows: AccountRows, id: MemberId, onlyIf: SQL): Write[] {
  return [enrollmentEnd(rows, id, onlyIf), invitationEnd(rows, id, onlyIf)];
}

function isUnchanged({ id, name, email, isOwner, grants }: MemberReading): SQL {
  const parts = [
    eq(members.id, id),
    eq(members.name, name),
    sql`${members.email} is ${email}`,
    eq(members.isOwner, isOwner),
    sql`${members.grants} = ${JSON.stringify(grants)}`,
  ];
  return sql.join(parts, sql` and `);
}

/** Ends the enrolments that a member's tokens have created and that no agent has used. */
function enrollmentEnd(rows: AccountRows, id: MemberId, onlyIf: SQL): Write {
  const own = rows.column(tokens.id, tokens, eq(tokens.memberId, id));
  return rows.update(
    servers,
    { enrollmentHash: null, enrollmentExpiresAt: null, enrollmentMadeBy: null },
    and(sql`${servers.enrollmentMadeBy} in (${own})`, onlyIf),
  );
}

/**
 * Ends the invitations that a member has made and that nobody has accepted. Otherwise a member who loses their rights could get them
 * back by a link that they have kept.
 */
function invitationEnd(rows: AccountRows, id: MemberId, onlyIf: SQL): Write {
  const own = rows.column(invitations.id, invitations, sql`${invitations.invitedBy} ->> 'id' = ${id}`);
  return rows.delete(invitations, sql`${invitations.id} in (${own}) and ${onlyIf}`);
}

/**
 * Removes a member with their passkeys, recovery codes and identities, and revokes their sessions and personal tokens, unless they are the last
 * owner. Their invitations end too, and their enrolments with the tokens.
 * @param member as they were read
 * @param now Unix milliseconds
 * @returns false if they do not exist, are the last owner, have become one or no longer are, or the sender has lost rights
 */
export async function removeMember(
  rows: AccountRows,
  { id, isOwner }: Pick<MemberReading, "id" | "isOwner">,
  now: number,
  sender: Sender,
  recorded: readonly Write[],
): Promise<boolean> {
  const keepsOwner = isOwner ? hasOtherOwner(rows, id) : sql`true`;
  // Only owners remove owners, and the member may have become one since they were read.
  const isAsRead = sql`${members.id} = ${id} and ${eq(members.isOwner, isOwner)}`;
  const isGone = sql`${rows.count(members, eq(members.id, id))} = 0`;
  const ofMember = (
    column: typeof passkeys.memberId | typeof recoveryCodes.memberId | typeof identities.memberId,
  ) => sql`${column} = ${id} and ${isGone}`;
  const [removed] = await rows.runTogether([
    rows.delete(members, sql`${isAsRead} and ${keepsOwner} and ${hasStillRights(rows, sender)}`),
    ...recorded,
    rows.update(tokens, { revokedAt: now }, and(eq(tokens.memberId, id), isNull(tokens.revokedAt), isGone)),
    rows.delete(passkeys, ofMember(passkeys.memberId)),
    rows.delete(recoveryCodes, ofMember(recoveryCodes.memberId)),
    rows.delete(identities, ofMember(identities.memberId)),
    invitationEnd(rows, id, isGone),
  ]);
  return removed === 1;
}

/** A single-use secret that was used, and until when it would count (Unix milliseconds). */
export type UsedSecret = { readonly id: string; readonly expiresAt: number };
