import { and, eq, gt, isNull, sql, type SQL } from "drizzle-orm";

import type { InvitationId, ProjectId, TokenId } from "#contract/ids.ts";
import { MAX_MEMBERS } from "#contract/endpoints/members/schemas.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { requiresSso } from "#worker/db/connections/connection-records.ts";
import type { StoredEntry } from "#worker/db/changes/stored-change.ts";
import type { Database } from "#worker/db/database-session.ts";
import { auditEntries } from "#worker/db/event-tables.ts";
import { invitations, members, passkeys, usedSecrets } from "#worker/db/identity-tables.ts";
import {
  countPeople,
  findMember,
  hasRoom,
  type NewMember,
  type NewPasskeyRow,
  type UsedSecret,
} from "#worker/db/members/member-records.ts";
import { hasProjects, unknownProjects } from "#worker/db/projects/list-projects.ts";
import { newestFirst, type Position, read, readerOf, select } from "#worker/db/reads.ts";
import { accounts, tokens } from "#worker/db/schema.ts";
import type { NewSession } from "#worker/db/sessions/session-records.ts";
import { hasStillRights, type Sender } from "#worker/db/tokens/has-still-rights.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";

/** The fields of an InvitationReading. */
const invitationFields = {
  id: invitations.id,
  email: invitations.email,
  grants: invitations.grants,
  invitedBy: invitations.invitedBy,
  createdAt: invitations.createdAt,
  expiresAt: invitations.expiresAt,
};

/** An invitation's row in D1. Times are Unix milliseconds. */
export type InvitationReading = Pick<typeof invitations.$inferSelect, keyof typeof invitationFields>;

/** The account's invitations that have not expired, newest first. @param now Unix milliseconds */
export async function listInvitations(
  rows: AccountRows,
  position: Position<InvitationId>,
  now: number,
): Promise<InvitationReading[]> {
  const selection = newestFirst(invitations.id, position, gt(invitations.expiresAt, now));
  return await rows.select(invitationFields, invitations, selection);
}

/** The account's invitation with this id; null: there is none. */
export async function findInvitation(rows: AccountRows, id: InvitationId): Promise<InvitationReading | null> {
  return await rows.find(invitationFields, invitations, id);
}

const foundFields = {
  ...invitationFields,
  accountId: invitations.accountId,
  accountName: accounts.name,
  requiresSso: requiresSso(invitations.accountId.getSQL()),
};

/**
 * The invitation whose code has this hash, with its account; null: unknown, used, withdrawn or expired. It names no account, because
 * it finds out which one it is. @param now Unix milliseconds
 */
export async function findInvitationByCode(database: Database, hash: string, now: number) {
  const where = and(eq(invitations.hash, hash), gt(invitations.expiresAt, now));
  const [found] = await read(
    database,
    select<typeof foundFields>(readerOf(foundFields), (cells) =>
      cells.from(invitations).innerJoin(accounts, eq(accounts.id, invitations.accountId)).where(where),
    ),
  );
  return found ?? null;
}

// `recorded`: what records the change (`requestWrites`), in the same batch.

type InvitationInsertion =
  | { readonly outcome: "inserted"; readonly invitation: InvitationReading }
  | { readonly outcome: "no_such_projects"; readonly projectIds: readonly ProjectId[] }
  | { readonly outcome: "too_many" };

/**
 * Adds an invitation if the account has its projects (each listed once) and the sender still has the rights that they had.
 * If an earlier try of the same request has added it, returns that invitation, which may be accepted or withdrawn by now: a
 * link must not work again.
 * @param entryId the entry of the request in the audit log, which is among `recorded`
 */
export async function insertInvitation(
  rows: AccountRows,
  invitation: InvitationReading,
  hash: string,
  wanted: readonly ProjectId[],
  sender: Sender,
  recorded: readonly Write[],
  entryId: StoredEntry["id"],
): Promise<InvitationInsertion> {
  const isRecorded = eq(auditEntries.id, entryId);
  const isPossible = sql`${rows.countAll(auditEntries, isRecorded)} = 0 and ${hasProjects(rows, wanted)} and ${countPeople(rows, invitation.createdAt)} < ${MAX_MEMBERS} and ${hasStillRights(rows, sender)}`;
  try {
    const insert = rows.insert(invitations, { ...invitation, hash }, isPossible);
    const [inserted] = await rows.runTogether([insert, ...recorded]);
    if (inserted === 1) return { outcome: "inserted", invitation };
  } catch (error) {
    if (uniqueViolation(error) === null) throw error;
  }
  const added = await findInvitation(rows, invitation.id);
  if (added !== null) return { outcome: "inserted", invitation: added };
  const [recordedBefore] = await rows.select({ id: auditEntries.id }, auditEntries, { where: isRecorded });
  if (recordedBefore !== undefined) return { outcome: "inserted", invitation };
  const unknown = await unknownProjects(rows, wanted);
  return unknown.length > 0 ? { outcome: "no_such_projects", projectIds: unknown } : { outcome: "too_many" };
}

/** Deletes an invitation. @returns false if it does not exist */
export async function removeInvitation(
  rows: AccountRows,
  id: InvitationId,
  recorded: readonly Write[],
): Promise<boolean> {
  const [removed] = await rows.runTogether([rows.delete(invitations, eq(invitations.id, id)), ...recorded]);
  return removed === 1;
}

/** A person who joins, with their first passkey and the challenge that it answered. */
export type Joining = {
  readonly member: NewMember;
  readonly passkey: NewPasskeyRow;
  readonly challenge: UsedSecret;
};

/**
 * `joined`: also if an earlier try of the same request has done it. `not_joined`: there was no room or right to join any more.
 * `used_before`: the challenge was answered already.
 */
export type JoinOutcome = "joined" | "not_joined" | "used_before" | "passkey_exists" | "email_taken";

/**
 * Makes somebody the first owner and a session theirs, in one transaction, if the account has no owner.
 * @param tokenId the session, of a sign-in link that is nobody's
 */
export async function insertFirstOwner(
  rows: AccountRows,
  joining: Joining,
  tokenId: TokenId,
  recorded: readonly Write[],
): Promise<JoinOutcome> {
  const { id, createdAt } = joining.member;
  const hasNone = sql`${rows.countAll(members, eq(members.isOwner, true))} = 0`;
  const isNobodys = and(eq(tokens.id, tokenId), isNull(tokens.memberId), isNull(tokens.revokedAt));
  const isSignedIn = sql`${rows.count(tokens, isNobodys)} = 1`;
  const session = rows.update(
    tokens,
    { memberId: id, authenticatedAt: createdAt },
    and(eq(tokens.id, tokenId), hasJoined(rows, joining)),
  );
  return await join(rows, joining, sql`${hasNone} and ${isSignedIn}`, recorded, [session]);
}

/** Makes somebody a member by an invitation and signs them in, in one transaction. The invitation is used up. */
export async function insertInvitedMember(
  rows: AccountRows,
  joining: Joining,
  invitationId: InvitationId,
  session: NewSession,
  recorded: readonly Write[],
): Promise<JoinOutcome> {
  const isOpen = and(eq(invitations.id, invitationId), gt(invitations.expiresAt, joining.member.createdAt));
  const isPossible = sql`${rows.countAll(invitations, isOpen)} = 1 and ${hasRoom(rows)}`;
  return await join(rows, joining, isPossible, recorded, [
    rows.insert(tokens, { ...session, kind: "session" }, hasJoined(rows, joining)),
    rows.delete(invitations, sql`${invitations.id} = ${invitationId} and ${hasJoined(rows, joining)}`),
  ]);
}

function hasJoined(rows: AccountRows, { member }: Joining): SQL {
  return sql`${rows.countAll(members, eq(members.id, member.id))} = 1`;
}

async function join(
  rows: AccountRows,
  joining: Joining,
  onlyIf: SQL,
  recorded: readonly Write[],
  more: readonly Write[],
): Promise<JoinOutcome> {
  const { member, passkey, challenge } = joining;
  try {
    const [joined] = await rows.runTogether([
      rows.insert(members, member, onlyIf),
      ...recorded,
      rows.insert(passkeys, passkey, hasJoined(rows, joining)),
      rows.insert(usedSecrets, challenge, hasJoined(rows, joining)),
      ...more,
    ]);
    return joined === 1 ? "joined" : "not_joined";
  } catch (error) {
    const violated = uniqueViolation(error);
    if (violated === null) throw error;
    if ((await findMember(rows, member.id)) !== null) return "joined";
    switch (violated) {
      case "used_secrets.id":
        return "used_before";
      case "passkeys.credential_id":
        return "passkey_exists";
      case "members.account_id, members.email":
        return "email_taken";
      default:
        throw error;
    }
  }
}
