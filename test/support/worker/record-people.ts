import { env } from "cloudflare:workers";
import * as z from "zod";

import { type AccountId, InvitationId, MemberId, PasskeyId, TokenId } from "#contract/ids.ts";
import { allScopes } from "#contract/scopes.ts";
import type { MemberRights } from "#domain/members/member-permissions.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { invitations, members, passkeys } from "#worker/db/identity-tables.ts";
import { tokens } from "#worker/db/schema.ts";
import { secretHash } from "#worker/secret-hash.ts";
import { ids, newSecret } from "./account.ts";

// People as rows: joining through the API takes longer than most tests, and leaves events and entries in the audit log.

const HOUR_MS = 3_600_000;

/** A member who is signed in. `token`: the secret of the session, which a passkey has just confirmed. */
export const SignedIn = z.object({ id: MemberId, token: z.string(), tokenId: TokenId }).readonly();
export type SignedIn = z.infer<typeof SignedIn>;

type NamedRights = MemberRights & { readonly name: string };

/** Adds a member without passkeys. */
export async function recordMember(
  accountId: AccountId,
  { name, isOwner, grants }: NamedRights,
): Promise<MemberId> {
  const id = ids.member();
  const rows = new AccountRows(env.DB, accountId);
  await rows.run(rows.insert(members, { id, name, email: null, isOwner, grants, createdAt: Date.now() }));
  return id;
}

/** Adds a member with a session. */
export async function recordSignedIn(accountId: AccountId, rights: NamedRights): Promise<SignedIn> {
  const id = await recordMember(accountId, rights);
  const tokenId = ids.token();
  const token = newSecret("session");
  const now = Date.now();
  const rows = new AccountRows(env.DB, accountId);
  await rows.run(
    rows.insert(tokens, {
      id: tokenId,
      kind: "session",
      name: "dashboard",
      hash: await secretHash(token),
      scopes: [...allScopes],
      memberId: id,
      createdAt: now,
      expiresAt: now + 12 * HOUR_MS,
      authenticatedAt: now,
      // Otherwise the first request of the session would write it.
      lastUsedAt: now,
    }),
  );
  return { id, token, tokenId };
}

/** Adds a passkey that nobody can use. */
async function recordPasskey(accountId: AccountId, memberId: MemberId, name: string): Promise<PasskeyId> {
  const id = ids.passkey();
  const rows = new AccountRows(env.DB, accountId);
  // The credential has the id of the row, because copies of a world get other ids.
  const credential = { credentialId: id, rpId: "gantry.test", algorithm: -7 as const, jwk: {}, signCount: 0 };
  const times = { createdAt: Date.now(), lastUsedAt: null };
  await rows.run(
    rows.insert(passkeys, {
      ...{ id, memberId, name, ...credential, ...times },
      ...{ isBackupEligible: true, isBackedUp: true },
    }),
  );
  return id;
}

async function recordInvitation(accountId: AccountId): Promise<InvitationId> {
  const id = ids.invitation();
  const rows = new AccountRows(env.DB, accountId);
  const grants = [{ role: "viewer" as const, projectIds: null, extra: [] }];
  const hash = await secretHash(newSecret("invitation"));
  const times = { createdAt: Date.now(), expiresAt: Date.now() + 168 * HOUR_MS };
  await rows.run(
    rows.insert(invitations, { id, hash, email: "alan@gantry.test", grants, invitedBy: null, ...times }),
  );
  return id;
}

export const People = z.object({
  /** Ada, the owner. */
  person: SignedIn,
  /** The second of Ada's passkeys. */
  passkeyId: PasskeyId,
  /** A viewer, who is not signed in. */
  memberId: MemberId,
  /** Nobody has accepted it. */
  invitationId: InvitationId,
});
export type People = z.infer<typeof People>;

/** Adds the people of a world. */
export async function recordPeople(accountId: AccountId): Promise<People> {
  const person = await recordSignedIn(accountId, { name: "Ada", isOwner: true, grants: [] });
  await recordPasskey(accountId, person.id, "Laptop");
  const viewer = [{ role: "viewer" as const, projectIds: null, extra: [] }];
  return {
    person,
    passkeyId: await recordPasskey(accountId, person.id, "Security key"),
    memberId: await recordMember(accountId, { name: "Grace", isOwner: false, grants: viewer }),
    invitationId: await recordInvitation(accountId),
  };
}
