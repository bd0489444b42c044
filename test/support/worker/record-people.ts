import { env } from "cloudflare:workers";
import * as z from "zod";

import {
  type AccountId,
  ConnectionId,
  IdentityId,
  InvitationId,
  MemberId,
  PasskeyId,
  TokenId,
} from "#contract/ids.ts";
import { allScopes } from "#contract/scopes.ts";
import type { MemberRights } from "#domain/members/member-permissions.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { connections, identities, invitations, members, passkeys } from "#worker/db/identity-tables.ts";
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

/** Adds a connection by which nobody can sign in. Its provider is not asked for the address of a sign-in. */
async function recordConnection(accountId: AccountId): Promise<ConnectionId> {
  const id = ids.connection();
  const rows = new AccountRows(env.DB, accountId);
  const provider = { kind: "github" as const, name: "GitHub", issuer: "https://github.com" };
  const client = { clientId: "Iv1.8a61f9b3a7aba766", clientSecret: null, scopes: ["read:user"] };
  const groups = { groupsClaim: "groups", groupGrants: [], syncGrants: true };
  const joining = { joinPolicy: "off" as const, domains: [], joinGrants: [], isForced: false };
  const row = { id, ...provider, ...client, ...groups, ...joining, sessionHours: 12, createdAt: Date.now() };
  await rows.run(rows.insert(connections, row));
  return id;
}

async function recordIdentity(
  accountId: AccountId,
  memberId: MemberId,
  connectionId: ConnectionId,
): Promise<IdentityId> {
  const id = ids.identity();
  const rows = new AccountRows(env.DB, accountId);
  const row = { id, connectionId, subject: "583231", memberId, name: "octocat", createdAt: Date.now() };
  await rows.run(rows.insert(identities, row));
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
  connectionId: ConnectionId,
  /** Ada's, of the connection. */
  identityId: IdentityId,
});
export type People = z.infer<typeof People>;

/** Adds the people of a world. */
export async function recordPeople(accountId: AccountId): Promise<People> {
  const person = await recordSignedIn(accountId, { name: "Ada", isOwner: true, grants: [] });
  await recordPasskey(accountId, person.id, "Laptop");
  const connectionId = await recordConnection(accountId);
  const viewer = [{ role: "viewer" as const, projectIds: null, extra: [] }];
  return {
    person,
    passkeyId: await recordPasskey(accountId, person.id, "Security key"),
    memberId: await recordMember(accountId, { name: "Grace", isOwner: false, grants: viewer }),
    invitationId: await recordInvitation(accountId),
    connectionId,
    identityId: await recordIdentity(accountId, person.id, connectionId),
  };
}
