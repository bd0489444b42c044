import type { PasskeySignature } from "#contract/endpoints/sessions/passkeys.ts";
import type { ConfirmSessionInput } from "#contract/endpoints/sessions/schemas.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { confirmByPasskey, findSigningPasskey } from "#worker/db/members/passkey-records.ts";
import { isSsoRequired, ssoRequired } from "#worker/operations/sign-in/sso-required.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import {
  checkAnswer,
  checkSignature,
  invalidPasskey,
  usedBefore,
} from "#worker/operations/sessions/ceremonies.ts";

/** How long after a passkey was used a session may do what needs a confirmation. Source: the step-up of RFC 9470. */
const CONFIRMED_MS = 10 * 60_000;

/**
 * Refuses the session of a member that no passkey and no provider has confirmed in the last 10 minutes: a thief of the session must not be able
 * to keep their access. API tokens and the sessions of sign-in links have no passkey, and are not refused.
 */
export function refuseUnconfirmed({ token, member, clock }: Pick<Context, "token" | "member" | "clock">) {
  if (token.kind !== "session" || member === null) return null;
  const confirmedAt = token.authenticatedAt ?? 0;
  if (clock.now() - confirmedAt < CONFIRMED_MS) return null;
  return refuse(
    "reauthentication_required",
    "Confirm that it is you: use your passkey again, or sign in again by your provider, and repeat the request within 10 minutes.",
  );
}

/** As `refuseUnconfirmed`, for a new passkey: a session by a recovery code is for nothing else. */
export function refuseNewPasskey(context: Pick<Context, "token" | "member" | "clock">) {
  const isRecovery = context.token.scopes.length === 0;
  return isRecovery ? null : refuseUnconfirmed(context);
}

type ConfirmRefusal =
  | "host_name_required"
  | "invalid_passkey"
  | "provider_unreachable"
  | "sign_in_refused"
  | "sso_required";

/** Confirms the session of the request by one of its member's passkeys, or by a provider. */
export async function confirmSession(
  context: Context,
  { passkey, provider }: ConfirmSessionInput,
): Promise<Result<null, ConfirmRefusal>> {
  if (passkey !== undefined) return await byPasskey(context, passkey);
  if (provider === undefined) throw new Error("the schema requires one of passkey and provider");
  // The protocols of providers are loaded when they are first used.
  const { confirmByProvider } = await import("#worker/operations/sign-in/confirm-by-provider.ts");
  return await confirmByProvider(context, provider);
}

async function byPasskey(context: Context, given: PasskeySignature): Promise<Result<null, ConfirmRefusal>> {
  const { token, member, rows } = context;
  const asking = { ...context, database: context.session.database };
  const answered = await checkAnswer(asking, given, { act: "confirm", tokenId: token.id });
  if (!answered.ok) return answered;
  const passkey = await findSigningPasskey(asking.database, given.id);
  if (passkey === null || passkey.memberId !== member?.id) return invalidPasskey("It is not one of yours.");
  if (isSsoRequired(passkey)) return ssoRequired;
  const use = await checkSignature(asking, given, passkey, answered.value);
  if (!use.ok) return use;
  const target = { type: "session", id: token.id, name: token.name } as const;
  const recorded = requestWrites(context, { event: null, target, projectId: null });
  if ((await confirmByPasskey(rows, passkey, use.value, token.id, recorded)) === "used_before")
    return usedBefore;
  context.forgetToken(token.id);
  return succeed(null);
}
