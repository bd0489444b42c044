import type { PasskeyChallenge } from "#contract/endpoints/sessions/passkeys.ts";
import type { CreateChallengeInput } from "#contract/endpoints/sessions/schemas.ts";
import { refuse, type Result } from "#contract/problems.ts";
import type { Context, OpenContext } from "#worker/context.ts";
import { listPasskeys } from "#worker/db/members/passkey-records.ts";
import { passkeyChallenge } from "#worker/operations/sessions/ceremonies.ts";
import { refuseNewPasskey } from "#worker/operations/sessions/confirmation.ts";

/** Gives anybody a challenge to sign in. It names nobody, so it tells nobody who is a member. */
export async function createSignInChallenge(
  context: OpenContext,
): Promise<Result<PasskeyChallenge, "host_name_required">> {
  return await passkeyChallenge(context, { act: "sign_in" });
}

/** Gives a session a challenge to add a passkey or to confirm. Somebody with a sign-in link adds one to become the owner. */
export async function createChallenge(
  context: Context,
  { act }: CreateChallengeInput,
): Promise<Result<PasskeyChallenge, "person_required" | "host_name_required" | "reauthentication_required">> {
  const { token, member, account, rows } = context;
  if (token.kind !== "session" || (act === "confirm" && member === null))
    return refuse(
      "person_required",
      "Only a member who is signed in has passkeys. Sign in to the dashboard.",
    );
  // Before the device makes a passkey, which would stay there although it is refused.
  const unconfirmed = act === "add_passkey" ? refuseNewPasskey(context) : null;
  if (unconfirmed !== null) return unconfirmed;
  const passkeys = member === null ? [] : await listPasskeys(rows, member.id);
  return await passkeyChallenge(
    { ...context, database: context.session.database },
    { act, tokenId: token.id },
    {
      credentialIds: passkeys.map(({ credentialId }) => credentialId),
      ...(act === "add_passkey" && { user: { name: member?.name ?? account.name, account: account.name } }),
    },
  );
}
