import { type Identity, MAX_IDENTITIES } from "#contract/endpoints/profile/schemas.ts";
import type { ProviderAnswer } from "#contract/endpoints/sessions/provider-answer.ts";
import type { IdentityId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import {
  insertIdentity,
  listIdentities,
  removeIdentity as deleteIdentity,
} from "#worker/db/connections/identity-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { identityWrites, newIdentity } from "#worker/operations/profile/identity-changes.ts";
import { memberOf } from "#worker/operations/profile/member-of.ts";
import { notFound, tooMany } from "#worker/operations/refusals.ts";
import { refuseUnconfirmed } from "#worker/operations/sessions/confirmation.ts";
import { identityView } from "#worker/views/identity-view.ts";

type AddRefusal = "provider_unreachable" | "reauthentication_required" | "sign_in_refused" | "too_many";

/** Lets the member of the session sign in by what a provider calls them. */
export async function addIdentity(
  context: Context,
  given: ProviderAnswer,
): Promise<Result<Identity, AddRefusal>> {
  const unconfirmed = refuseUnconfirmed(context);
  if (unconfirmed !== null) return unconfirmed;
  // The protocols of providers are loaded when they are first used.
  const { readAnswer, usedBefore } = await import("#worker/operations/sign-in/provider-answer.ts");
  const asking = { ...context, database: context.session.database };
  const answer = await readAnswer(asking, given, { act: "add_identity", tokenId: context.token.id });
  if (!answer.ok) return answer;
  const { connection, state } = answer.value;
  const identity = newIdentity(context, answer.value, memberOf(context).id, null);
  const recorded = identityWrites(context, "identity.added", { ...identity, connection: connection.name });
  switch (await insertIdentity(context.rows, identity, state, recorded)) {
    case "added":
      announceLater(context);
      return succeed(
        identityView({
          ...identity,
          name: identity.name ?? null,
          lastUsedAt: null,
          connectionName: connection.name,
        }),
      );
    case "used_before":
      return usedBefore;
    case "identity_exists":
      return refuse(
        "sign_in_refused",
        "This identity belongs to a member already. If it is another person's, sign out at the provider first.",
      );
    case "too_many":
      return tooMany("identities", "Remove some.", MAX_IDENTITIES, "A person");
  }
}

/** Removes an identity of the member of the session, except their last way to sign in. */
export async function removeIdentity(
  context: Context,
  id: IdentityId,
): Promise<Result<null, "last_passkey" | "not_found" | "reauthentication_required">> {
  const unconfirmed = refuseUnconfirmed(context);
  if (unconfirmed !== null) return unconfirmed;
  const { id: memberId } = memberOf(context);
  const identity = (await listIdentities(context.latestRows, memberId)).find((one) => one.id === id);
  if (identity === undefined) return notFound("identity");
  const recorded = identityWrites(context, "identity.removed", {
    ...identity,
    connection: identity.connectionName ?? "",
  });
  if (!(await deleteIdentity(context.rows, memberId, id, recorded)))
    return refuse("last_passkey", "This is your last way to sign in. Add a passkey first.");
  announceLater(context);
  return succeed(null);
}
