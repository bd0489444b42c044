import type {
  AcceptInvitationInput,
  CreateOwnerInput,
  FoundInvitation,
  LookUpInvitationInput,
  Member,
} from "#contract/endpoints/members/schemas.ts";
import type { SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { isWellFormedToken } from "#contract/token-form.ts";
import type { Context, OpenContext } from "#worker/context.ts";
import { AccountRows, type Write } from "#worker/db/account-rows.ts";
import { connectionsOf } from "#worker/db/connections/connection-records.ts";
import {
  findInvitationByCode,
  insertFirstOwner,
  insertInvitedMember,
  type JoinOutcome,
} from "#worker/db/members/join-records.ts";
import { findMember, type NewMember } from "#worker/db/members/member-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { emailTaken } from "#worker/operations/members/grants.ts";
import {
  checkNewPasskey,
  invalidPasskey,
  passkeyChallenge,
  usedBefore,
} from "#worker/operations/sessions/ceremonies.ts";
import { newSession, sessionView } from "#worker/operations/sessions/new-session.ts";
import { ssoRequired } from "#worker/operations/sign-in/sso-required.ts";
import { secretHash } from "#worker/secret-hash.ts";
import { grantView, memberView } from "#worker/views/member-view.ts";
import { timestamp } from "#worker/views/timestamp.ts";

// How a person becomes a member: as the first owner, or by an invitation.

type OwnerRefusal =
  | "email_taken"
  | "host_name_required"
  | "invalid_passkey"
  | "owner_exists"
  | "person_required";

/** Makes the person of a sign-in link the first owner, and the session theirs. */
export async function createOwner(
  context: Context,
  { name, email, passkey: given, passkey_name: passkeyName }: CreateOwnerInput,
): Promise<Result<Member, OwnerRefusal>> {
  const { token, rows, clock, ids } = context;
  if (token.kind !== "session")
    return refuse(
      "person_required",
      "Open a sign-in link: npm run sign-in prints one. An API token cannot become an owner.",
    );
  const id = ids.member();
  // A retry with the same Idempotency-Key is a request of the member whom the first try has created.
  if (context.member !== null && context.member.id !== id)
    return refuse("owner_exists", "You are a member of this account already.");
  const asking = { ...context, database: context.session.database };
  const checked = await checkNewPasskey(asking, { act: "add_passkey", tokenId: token.id }, given, {
    memberId: id,
    name: passkeyName,
  });
  if (!checked.ok) return checked;
  const member = { id, name, email, isOwner: true, grants: [], createdAt: clock.now() };
  const recorded = joinWrites({ ...context, member }, member);
  switch (await insertFirstOwner(rows, { member, ...checked.value }, token.id, recorded)) {
    case "joined": {
      announceLater(context);
      context.forgetToken(token.id);
      // A retry gets what the first try has created.
      const owner = await findMember(rows, id);
      return succeed(memberView(owner ?? { ...member, passkeys: 1, lastUsedAt: token.lastUsedAt }));
    }
    case "not_joined":
      return refuse("owner_exists", "The account has an owner already. Ask an owner for an invitation.");
    case "used_before":
      return usedBefore;
    case "passkey_exists":
      return passkeyExists;
    case "email_taken":
      return emailTaken;
  }
}

const passkeyExists = invalidPasskey("It is registered here already.");

const invalidInvitation = refuse(
  "invalid_token",
  "The invitation is malformed, unknown, expired, withdrawn or already used. Ask for a new one.",
);

/** Says what an invitation is for, and asks for the person's first passkey. */
export async function lookUpInvitation(
  context: OpenContext,
  { code }: LookUpInvitationInput,
): Promise<Result<FoundInvitation, "invalid_token" | "host_name_required" | "rate_limited">> {
  const found = await invitationOf(context, code);
  if (found === null) return (await context.limitFailures()) ?? invalidInvitation;
  const { id, accountId, accountName, email, grants, invitedBy, expiresAt } = found;
  const user = { name: email ?? accountName, account: accountName };
  const challenge = await passkeyChallenge(context, { act: "join", invitationId: id }, { user });
  if (!challenge.ok) return challenge;
  return succeed({
    account: accountName,
    invited_by: invitedBy?.name ?? null,
    email,
    grants: grants.map(grantView),
    expires_at: timestamp(expiresAt),
    connections: await connectionsOf(context.database, accountId),
    challenge: challenge.value,
  });
}

type AcceptRefusal =
  | "email_taken"
  | "host_name_required"
  | "invalid_passkey"
  | "invalid_token"
  | "rate_limited"
  | "sso_required";

/** Makes the person who has the code of an invitation a member, and signs them in. */
export async function acceptInvitation(
  context: OpenContext,
  { code, name, passkey: given, passkey_name: passkeyName }: AcceptInvitationInput,
): Promise<Result<SessionCreated, AcceptRefusal>> {
  const refused = async (refusal: Result<never, AcceptRefusal>) => (await context.limitFailures()) ?? refusal;
  const found = await invitationOf(context, code);
  if (found === null) return await refused(invalidInvitation);
  // The passkey would be of no use.
  if (found.requiresSso === 1) return ssoRequired;
  const { accountId, email, grants } = found;
  const id = context.ids.member();
  const use = { act: "join", invitationId: found.id } as const;
  const checked = await checkNewPasskey(context, use, given, { memberId: id, name: passkeyName });
  if (!checked.ok) return await refused(checked);
  const member = { id, name, email, isOwner: false, grants, createdAt: context.clock.now() };
  const made = await newSession(context, id);
  const rows = new AccountRows(context.database, accountId);
  const recorded = joinWrites({ ...context, rows, token: made.session, member }, member);
  const joining = { member, ...checked.value };
  const outcome = await insertInvitedMember(rows, joining, found.id, made.session, recorded);
  if (outcome !== "joined") return await refused(refusalOf(outcome));
  announceLater({ ...context, account: { id: accountId } });
  return succeed(sessionView(made, { id, name }));
}

function refusalOf(outcome: Exclude<JoinOutcome, "joined">) {
  switch (outcome) {
    case "not_joined":
      return invalidInvitation;
    case "used_before":
      return usedBefore;
    case "passkey_exists":
      return passkeyExists;
    case "email_taken":
      return emailTaken;
  }
}

/** The open invitation with this code; null: none. */
async function invitationOf({ database, clock }: OpenContext, code: string) {
  if (!isWellFormedToken(code, "invitation")) return null;
  return await findInvitationByCode(database, await secretHash(code), clock.now());
}

/** The writes that record that a person joined: they are the actor. */
function joinWrites(
  context: Parameters<typeof requestWrites>[0],
  { id, name, isOwner, grants }: Pick<NewMember, "id" | "name" | "isOwner" | "grants">,
): Write[] {
  return requestWrites(context, {
    event: { type: "member.joined", data: { member: { id, name }, changed: [] } },
    target: { type: "member", id, name },
    projectId: null,
    changes: {
      is_owner: { before: null, after: isOwner },
      grants: { before: null, after: grants.map(grantView) },
    },
  });
}
