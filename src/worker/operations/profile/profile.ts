import type { Profile, UpdateProfileInput } from "#contract/endpoints/profile/schemas.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findWaysToSignIn } from "#worker/db/connections/identity-records.ts";
import { changeMember, findMember } from "#worker/db/members/member-records.ts";
import { findCredentials } from "#worker/db/members/passkey-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { differences } from "#worker/operations/changes/targets.ts";
import { emailTaken } from "#worker/operations/members/grants.ts";
import { memberOf } from "#worker/operations/profile/member-of.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { refuseUnconfirmed } from "#worker/operations/sessions/confirmation.ts";
import { identityView } from "#worker/views/identity-view.ts";
import { memberView } from "#worker/views/member-view.ts";
import { passkeyView } from "#worker/views/passkey-view.ts";

/** Returns the member of the session, with their passkeys and identities. */
export async function getProfile(context: Context): Promise<Result<Profile, "not_found">> {
  const { id } = memberOf(context);
  const [member, credentials, ways] = await Promise.all([
    findMember(context.latestRows, id),
    findCredentials(context.latestRows, id),
    findWaysToSignIn(context.latestRows, id),
  ]);
  if (member === null) return notFound("member");
  return succeed({
    member: memberView(member),
    passkeys: credentials.passkeys.map((passkey) => passkeyView(passkey)),
    identities: ways.identities.map((identity) => identityView(identity)),
    connections: ways.connections,
    recovery_codes: credentials.recoveryCodes,
  });
}

/** Changes the name or the address of the member of the session. */
export async function updateProfile(
  context: Context,
  { name, email }: UpdateProfileInput,
): Promise<Result<Profile, "email_taken" | "not_found" | "reauthentication_required">> {
  const { id } = memberOf(context);
  const before = await findMember(context.latestRows, id);
  if (before === null) return notFound("member");
  const after = { ...before, name: name ?? before.name, email: email === undefined ? before.email : email };
  const changes = differences({ name: before.name, email: before.email }, { name, email });
  const changed = Object.keys(changes);
  if (changed.length === 0) return await getProfile(context);
  // Single sign-on and `npm run sign-in` find a member by the address.
  const unconfirmed = "email" in changes ? refuseUnconfirmed(context) : null;
  if (unconfirmed !== null) return unconfirmed;
  const member = { id, name: after.name };
  const recorded = requestWrites(context, {
    event: { type: "member.updated", data: { member, changed } },
    target: { type: "member", ...member },
    projectId: null,
    changes,
  });
  const outcome = await changeMember(context.rows, before, after, context, recorded);
  if (outcome === "email_taken") return emailTaken;
  // Somebody else has changed the member at this moment, and the profile shows how.
  if (outcome === "changed") announceLater(context);
  context.forgetMember(id);
  return await getProfile(context);
}
