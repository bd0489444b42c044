import { and, eq, sql } from "drizzle-orm";

import { MAX_PASSKEYS } from "#contract/endpoints/profile/schemas.ts";
import type { MemberId, PasskeyId, TokenId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import type { Database } from "#worker/db/database-session.ts";
import { requiresSso } from "#worker/db/connections/connection-records.ts";
import { members, passkeys, recoveryCodes, usedSecrets } from "#worker/db/identity-tables.ts";
import type { NewPasskeyRow, UsedSecret } from "#worker/db/members/member-records.ts";
import { read, readerOf, select } from "#worker/db/reads.ts";
import { tokens } from "#worker/db/schema.ts";
import type { NewSession } from "#worker/db/sessions/session-records.ts";
import { hasStillRights, type Sender } from "#worker/db/tokens/has-still-rights.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";

/** The fields of a PasskeyReading. */
const passkeyFields = {
  id: passkeys.id,
  memberId: passkeys.memberId,
  credentialId: passkeys.credentialId,
  rpId: passkeys.rpId,
  name: passkeys.name,
  isBackedUp: passkeys.isBackedUp,
  createdAt: passkeys.createdAt,
  lastUsedAt: passkeys.lastUsedAt,
};

/** A passkey's row in D1, without its key. Times are Unix milliseconds. */
export type PasskeyReading = Pick<typeof passkeys.$inferSelect, keyof typeof passkeyFields>;

/** A member's passkeys, the oldest first. */
export async function listPasskeys(rows: AccountRows, memberId: MemberId): Promise<PasskeyReading[]> {
  const where = eq(passkeys.memberId, memberId);
  return await rows.select(passkeyFields, passkeys, {
    where,
    isNamed: true,
    orderBy: [passkeys.id.getSQL()],
  });
}

/** The passkeys of a member, and how many recovery codes they have. One round trip. */
export async function findCredentials(rows: AccountRows, memberId: MemberId) {
  const ofMember = { where: eq(passkeys.memberId, memberId), isNamed: true, orderBy: [passkeys.id.getSQL()] };
  const isTheirs = { where: eq(recoveryCodes.memberId, memberId), isNamed: true };
  const [found, codes] = await rows.selectBoth(
    [passkeyFields, passkeys, ofMember],
    [{ count: sql<number>`count(*)` }, recoveryCodes, isTheirs],
  );
  return { passkeys: found, recoveryCodes: codes[0]?.count ?? 0 };
}

const signingFields = {
  id: passkeys.id,
  accountId: passkeys.accountId,
  credentialId: passkeys.credentialId,
  rpId: passkeys.rpId,
  algorithm: passkeys.algorithm,
  jwk: passkeys.jwk,
  signCount: passkeys.signCount,
  isBackupEligible: passkeys.isBackupEligible,
  isBackedUp: passkeys.isBackedUp,
  memberId: members.id,
  memberName: members.name,
  isOwner: members.isOwner,
  requiresSso: requiresSso(passkeys.accountId.getSQL()),
};

/** A passkey with its key, and whose it is. */
export type SigningPasskey = Awaited<ReturnType<typeof findSigningPasskey>> & object;

/** The passkey with the id of an authenticator; null: there is none. It names no account, because it finds out whose it is. */
export async function findSigningPasskey(database: Database, credentialId: string) {
  const [found] = await read(
    database,
    select<typeof signingFields>(readerOf(signingFields), (cells) =>
      cells
        .from(passkeys)
        .innerJoin(members, eq(members.id, passkeys.memberId))
        .where(eq(passkeys.credentialId, credentialId)),
    ),
  );
  return found ?? null;
}

/** What a passkey has signed: what changes of it, and the challenge. `usedAt`: Unix milliseconds. */
export type PasskeyUse = {
  readonly signCount: number;
  readonly isBackedUp: boolean;
  readonly usedAt: number;
  readonly challenge: UsedSecret;
};

/** Whether the passkey still exists, with the count of signatures as it was read. */
function isUnchanged(rows: AccountRows, { id, signCount }: SigningPasskey) {
  return sql`${rows.count(passkeys, and(eq(passkeys.id, id), eq(passkeys.signCount, signCount)))} = 1`;
}

/**
 * Signs a member in by a passkey, in one transaction: the challenge counts once. `used_before`: it was answered already, or the passkey
 * has changed or gone.
 */
export async function signInByPasskey(
  rows: AccountRows,
  passkey: SigningPasskey,
  use: PasskeyUse,
  session: NewSession,
  recorded: readonly Write[],
): Promise<"signed_in" | "used_before"> {
  const isThere = sql`${isUnchanged(rows, passkey)} and ${rows.countAll(members, eq(members.id, passkey.memberId))} = 1`;
  const insert = rows.insert(tokens, { ...session, kind: "session" }, isThere);
  const isSignedIn = sql`${rows.count(tokens, eq(tokens.id, session.id))} = 1`;
  try {
    const [inserted] = await rows.runTogether([
      insert,
      ...recorded,
      rows.insert(usedSecrets, use.challenge, isSignedIn),
      usage(rows, passkey, use),
    ]);
    return inserted === 1 ? "signed_in" : "used_before";
  } catch (error) {
    if (uniqueViolation(error) === "used_secrets.id") return "used_before";
    throw error;
  }
}

/** As `signInByPasskey`, for the confirmation of a session. */
export async function confirmByPasskey(
  rows: AccountRows,
  passkey: SigningPasskey,
  use: PasskeyUse,
  tokenId: TokenId,
  recorded: readonly Write[],
): Promise<"confirmed" | "used_before"> {
  const isSession = and(
    eq(tokens.id, tokenId),
    eq(tokens.memberId, passkey.memberId),
    isUnchanged(rows, passkey),
  );
  const confirmation = rows.update(tokens, { authenticatedAt: use.usedAt, connectionId: null }, isSession);
  try {
    const [confirmed] = await rows.runTogether([
      confirmation,
      ...recorded,
      rows.insert(usedSecrets, use.challenge, sql`true`),
      usage(rows, passkey, use),
    ]);
    return confirmed === 1 ? "confirmed" : "used_before";
  } catch (error) {
    if (uniqueViolation(error) === "used_secrets.id") return "used_before";
    throw error;
  }
}

/** Records the use, unless another one has changed the count of signatures: it must not go back. */
function usage(
  rows: AccountRows,
  { id, signCount: before }: SigningPasskey,
  { signCount, isBackedUp, usedAt }: PasskeyUse,
): Write {
  const isUnused = and(eq(passkeys.id, id), eq(passkeys.signCount, before));
  return rows.update(passkeys, { signCount, isBackedUp, lastUsedAt: usedAt }, isUnused);
}

/** `added`: also by an earlier try of the same request. */
type PasskeyInsertion =
  | { readonly outcome: "added"; readonly passkey: PasskeyReading }
  | { readonly outcome: "used_before" | "passkey_exists" | "too_many" };

/** Adds a passkey of a member, if there is room and the session has not ended. The challenge counts once. */
export async function insertPasskey(
  rows: AccountRows,
  passkey: NewPasskeyRow,
  challenge: UsedSecret,
  sender: Sender,
  recorded: readonly Write[],
): Promise<PasskeyInsertion> {
  const { memberId } = passkey;
  const hasRoom = sql`${rows.countAll(passkeys, eq(passkeys.memberId, memberId))} < ${MAX_PASSKEYS}`;
  const insert = rows.insert(passkeys, passkey, sql`${hasRoom} and ${hasStillRights(rows, sender)}`);
  const isAdded = sql`${rows.countAll(passkeys, eq(passkeys.id, passkey.id))} = 1`;
  try {
    const [added] = await rows.runTogether([
      insert,
      ...recorded,
      rows.insert(usedSecrets, challenge, isAdded),
    ]);
    return added === 1
      ? { outcome: "added", passkey: { ...passkey, lastUsedAt: null } }
      : { outcome: "too_many" };
  } catch (error) {
    const violated = uniqueViolation(error);
    if (violated === null) throw error;
    const added = await rows.find(passkeyFields, passkeys, passkey.id);
    if (added !== null) return { outcome: "added", passkey: added };
    switch (violated) {
      case "used_secrets.id":
        return { outcome: "used_before" };
      case "passkeys.credential_id":
        return { outcome: "passkey_exists" };
      default:
        throw error;
    }
  }
}

/** Renames a passkey of a member. @returns false if it does not exist */
export async function renamePasskey(
  rows: AccountRows,
  memberId: MemberId,
  id: PasskeyId,
  name: string,
  recorded: readonly Write[],
): Promise<boolean> {
  const where = and(eq(passkeys.id, id), eq(passkeys.memberId, memberId));
  const [renamed] = await rows.runTogether([rows.update(passkeys, { name }, where), ...recorded]);
  return renamed === 1;
}

/** Removes a passkey of a member, unless it is their last one. @returns false if it was not removed */
export async function removePasskey(
  rows: AccountRows,
  memberId: MemberId,
  id: PasskeyId,
  recorded: readonly Write[],
): Promise<boolean> {
  const isNotLast = sql`${rows.countAll(passkeys, eq(passkeys.memberId, memberId))} > 1`;
  const where = sql`${passkeys.id} = ${id} and ${passkeys.memberId} = ${memberId} and ${isNotLast}`;
  const [removed] = await rows.runTogether([rows.delete(passkeys, where), ...recorded]);
  return removed === 1;
}

/** Replaces a member's recovery codes, unless the session has ended. @param hashes SHA-256 in hex @returns whether it has not */
export async function replaceRecoveryCodes(
  rows: AccountRows,
  memberId: MemberId,
  hashes: readonly string[],
  sender: Sender,
  recorded: readonly Write[],
): Promise<boolean> {
  const isAllowed = hasStillRights(rows, sender);
  const codes = hashes.map((id) => ({ id, memberId }));
  // The entry is recorded by the codes: a member who has none deletes no row.
  const inserts = rows.insertEach(recoveryCodes, codes, isAllowed);
  const [, inserted] = await rows.runTogether([
    rows.delete(recoveryCodes, sql`${recoveryCodes.memberId} = ${memberId} and ${isAllowed}`),
    ...inserts,
    ...recorded,
  ]);
  return (inserted ?? 0) > 0;
}
