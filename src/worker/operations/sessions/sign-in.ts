import type { PasskeySignature } from "#contract/endpoints/sessions/passkeys.ts";
import type { CreateSessionInput, SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { isWellFormedToken } from "#contract/token-form.ts";
import type { OpenContext } from "#worker/context.ts";
import type { EventContent } from "#worker/db/changes/change-writes.ts";
import { findSigningPasskey, signInByPasskey } from "#worker/db/members/passkey-records.ts";
import {
  findRecoveryCode,
  findSignInCode,
  spendRecoveryCode,
  spendSignInCode,
} from "#worker/db/sessions/session-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import {
  checkAnswer,
  checkSignature,
  invalidPasskey,
  usedBefore,
} from "#worker/operations/sessions/ceremonies.ts";
import { recordRefusedSignIn } from "#worker/operations/sessions/record-refused-sign-in.ts";
import { newSession, recordedSession, sessionView } from "#worker/operations/sessions/new-session.ts";
import { isSsoRequired, ssoRequired } from "#worker/operations/sign-in/sso-required.ts";
import { secretHash } from "#worker/secret-hash.ts";

/** The lifetime of a session by a recovery code, which can only add a passkey. */
const RECOVERY_MS = 15 * 60 * 1000;

type SignInRefusal =
  | "email_taken"
  | "host_name_required"
  | "invalid_passkey"
  | "invalid_token"
  | "provider_unreachable"
  | "rate_limited"
  | "sign_in_refused"
  | "sso_required";

/** Signs somebody in: by a sign-in link, a passkey, a recovery code or a provider. */
export async function createSession(
  context: OpenContext,
  { code, passkey, recovery_code: recoveryCode, provider, invitation_code: invitation }: CreateSessionInput,
): Promise<Result<SessionCreated, SignInRefusal>> {
  if (provider !== undefined) {
    // The protocols of providers are loaded when they are first used.
    const { signInByProvider } = await import("#worker/operations/sign-in/by-provider.ts");
    return await signInByProvider(context, provider, invitation ?? null);
  }
  if (passkey !== undefined) return await byPasskey(context, passkey);
  if (recoveryCode !== undefined) return await byRecoveryCode(context, recoveryCode);
  return await byLink(context, code ?? "");
}

const invalidLink = refuse(
  "invalid_token",
  "The sign-in link is malformed, unknown, expired or already used. Create a new one.",
);

/** Exchanges the code of a sign-in link, which works once. It stays the way back into an account with owners, and is announced there. */
async function byLink(context: OpenContext, code: string): Promise<Result<SessionCreated, SignInRefusal>> {
  const refused = async () => (await context.limitFailures()) ?? invalidLink;
  if (!isWellFormedToken(code, "sign_in")) return await refused();
  const codeHash = await secretHash(code);
  const found = await findSignInCode(context.database, codeHash, context.clock.now());
  if (found === null) return await refused();
  const { accountId, memberId, memberName, hasOwner } = found;
  const member = memberId === null || memberName === null ? null : { id: memberId, name: memberName };
  // Its member is gone: as a code that does not exist.
  if (memberId !== null && member === null) return await refused();
  const made = await newSession(context, memberId);
  const linkUsed = {
    type: "account.link_used" as const,
    data: { account: { id: accountId }, changed: [] },
  } satisfies EventContent;
  const { rows, recorded } = recordedSession(
    context,
    { accountId, member, method: "sign-in link" },
    made.session,
    hasOwner ? linkUsed : null,
  );
  if (!(await spendSignInCode(rows, codeHash, made.session, recorded))) return await refused();
  announceLater({ ...context, account: { id: accountId } });
  return succeed(sessionView(made, member));
}

/** Signs in the member who has the passkey. */
async function byPasskey(
  context: OpenContext,
  given: PasskeySignature,
): Promise<Result<SessionCreated, SignInRefusal>> {
  const refused = async (refusal: Result<never, SignInRefusal>) => (await context.limitFailures()) ?? refusal;
  const answered = await checkAnswer(context, given, { act: "sign_in" });
  if (!answered.ok) return await refused(answered);
  const passkey = await findSigningPasskey(context.database, given.id);
  if (passkey === null) return await refused(invalidPasskey("It is not registered here, or was removed."));
  const use = await checkSignature(context, given, passkey, answered.value);
  const { accountId, memberId, memberName } = passkey;
  const member = { id: memberId, name: memberName };
  if (!use.ok) {
    const refusal = await refused(use);
    if (!refusal.ok && refusal.refusal.code === "invalid_passkey")
      await recordRefusedSignIn(context, accountId, member, "invalid_passkey");
    return refusal;
  }
  if (isSsoRequired(passkey)) {
    await recordRefusedSignIn(context, accountId, member, "sso_required");
    return ssoRequired;
  }
  const made = await newSession(context, memberId);
  const { rows, recorded } = recordedSession(context, { accountId, member, method: "passkey" }, made.session);
  if ((await signInByPasskey(rows, passkey, use.value, made.session, recorded)) === "used_before")
    return await refused(usedBefore);
  announceLater({ ...context, account: { id: accountId } });
  return succeed(sessionView(made, member));
}

const invalidCode = refuse("invalid_token", "The recovery code is malformed, unknown or already used.");

/** Lets a member in who has lost their passkeys, to add one. */
async function byRecoveryCode(
  context: OpenContext,
  code: string,
): Promise<Result<SessionCreated, SignInRefusal>> {
  const refused = async () => (await context.limitFailures()) ?? invalidCode;
  if (!isWellFormedToken(code, "recovery")) return await refused();
  const hash = await secretHash(code);
  const found = await findRecoveryCode(context.database, hash);
  if (found === null) return await refused();
  const { accountId, memberId, memberName } = found;
  const member = { id: memberId, name: memberName };
  if (isSsoRequired(found)) {
    await recordRefusedSignIn(context, accountId, member, "sso_required");
    return ssoRequired;
  }
  const made = await newSession(context, memberId, {
    scopes: [],
    lifetimeMs: RECOVERY_MS,
    isConfirmed: false,
  });
  const recovered = {
    type: "member.recovered" as const,
    data: { member, changed: [] },
  } satisfies EventContent;
  const { rows, recorded } = recordedSession(
    context,
    { accountId, member, method: "recovery code" },
    made.session,
    recovered,
  );
  if (!(await spendRecoveryCode(rows, hash, made.session, recorded))) return await refused();
  announceLater({ ...context, account: { id: accountId } });
  return succeed(sessionView(made, member));
}
