import type { MemberReference } from "#contract/endpoints/members/reference.ts";
import type { PasskeySignature } from "#contract/endpoints/sessions/passkeys.ts";
import type { CreateSessionInput, SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import type { AccountId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { allScopes, type Scope } from "#contract/scopes.ts";
import { formToken, isWellFormedToken, randomTokenCharacters } from "#contract/token-form.ts";
import { deviceOf } from "#domain/members/device-of.ts";
import type { OpenContext } from "#worker/context.ts";
import { AccountRows, type Write } from "#worker/db/account-rows.ts";
import { auditWrites, type EventContent } from "#worker/db/changes/change-writes.ts";
import { findSigningPasskey, signInByPasskey } from "#worker/db/members/passkey-records.ts";
import {
  findRecoveryCode,
  findSignInCode,
  type NewSession,
  spendRecoveryCode,
  spendSignInCode,
} from "#worker/db/sessions/session-records.ts";
import { logFailure } from "#worker/log-failure.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestEntry, requestWrites } from "#worker/operations/changes/request-changes.ts";
import { tokenChange } from "#worker/operations/changes/targets.ts";
import {
  checkAnswer,
  checkSignature,
  invalidPasskey,
  usedBefore,
} from "#worker/operations/sessions/ceremonies.ts";
import { secretHash } from "#worker/secret-hash.ts";
import { timestamp } from "#worker/views/timestamp.ts";

/** A working day. */
const LIFETIME_MS = 12 * 60 * 60 * 1000;

/** The lifetime of a session by a recovery code, which can only add a passkey. */
const RECOVERY_MS = 15 * 60 * 1000;

/** The name of a session that is nobody's, which deployments show as their actor, or whose browser is not known. */
const NAME = "dashboard";

type SignInRefusal = "invalid_token" | "invalid_passkey" | "host_name_required" | "rate_limited";

/** Signs somebody in: by a sign-in link, a passkey or a recovery code. */
export async function createSession(
  context: OpenContext,
  { code, passkey, recovery_code: recoveryCode }: CreateSessionInput,
): Promise<Result<SessionCreated, SignInRefusal>> {
  if (passkey !== undefined) return await byPasskey(context, passkey);
  if (recoveryCode !== undefined) return await byRecoveryCode(context, recoveryCode);
  return await byLink(context, code ?? "");
}

/** A session that is about to be created, with its secret. `scopes`: as far as its member has them. */
export async function newSession(
  { ids, randomBytes, clock, raw }: Pick<OpenContext, "ids" | "randomBytes" | "clock" | "raw">,
  memberId: MemberReference["id"] | null,
  { scopes = allScopes, lifetimeMs = LIFETIME_MS, isConfirmed = memberId !== null }: SessionOptions = {},
): Promise<{ readonly secret: string; readonly session: NewSession }> {
  const secret = formToken(randomTokenCharacters(randomBytes), "session");
  const now = clock.now();
  const times = { createdAt: now, expiresAt: now + lifetimeMs, authenticatedAt: isConfirmed ? now : null };
  const hash = await secretHash(secret);
  const device = memberId === null ? null : deviceOf(raw.headers.get("user-agent") ?? "");
  return {
    secret,
    session: { id: ids.token(), name: device ?? NAME, hash, scopes: [...scopes], memberId, ...times },
  };
}

type SessionOptions = {
  readonly scopes?: readonly Scope[];
  readonly lifetimeMs?: number;
  /** Whether it counts as confirmed by a passkey. */
  readonly isConfirmed?: boolean;
};

/** A session in the API. */
export function sessionView(
  { secret, session }: { readonly secret: string; readonly session: NewSession },
  member: MemberReference | null,
): SessionCreated {
  const { id, expiresAt } = session;
  return { id, token: secret, expires_at: timestamp(expiresAt), member };
}

type SignedIn = { readonly accountId: AccountId; readonly member: MemberReference | null };

/** The rows of the account, and the writes that record a new session. @param event null: as a new token */
function recordedSession(
  context: OpenContext,
  { accountId, member }: SignedIn,
  session: NewSession,
  event: EventContent | null = null,
): { readonly rows: AccountRows; readonly recorded: Write[] } {
  const rows = new AccountRows(context.database, accountId);
  const { id, name, scopes } = session;
  const change = tokenChange("token.created", { id, name, scopes });
  const recorded = requestWrites(
    { ...context, rows, token: session, member },
    { ...change, ...(event !== null && { event }), target: { type: "session", id, name } },
  );
  return { rows, recorded };
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
    { accountId, member },
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
      await recordRefusal(context, accountId, member);
    return refusal;
  }
  const made = await newSession(context, memberId);
  const { rows, recorded } = recordedSession(context, { accountId, member }, made.session);
  if ((await signInByPasskey(rows, passkey, use.value, made.session, recorded)) === "used_before")
    return await refused(usedBefore);
  announceLater({ ...context, account: { id: accountId } });
  return succeed(sessionView(made, member));
}

/** Records that somebody tried to sign in as a member: they know the id of a passkey. At most as often as a token's refusals. */
async function recordRefusal(
  context: OpenContext,
  accountId: AccountId,
  member: MemberReference,
): Promise<void> {
  if ((await context.limitRefusals(member.id)) !== null) return;
  const target = { type: "member", ...member } as const;
  const sender = { token: { id: null, name: member.name }, member };
  const entry = requestEntry({ ...context, ...sender }, { target, projectId: null });
  const rows = new AccountRows(context.database, accountId);
  const writes = auditWrites(rows, [{ ...entry, outcome: "refused", code: "invalid_passkey" }]);
  const failed = (error: unknown) => logFailure("record a refused sign-in", { member_id: member.id }, error);
  context.defer(rows.runTogether(writes).then(() => undefined, failed));
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
  const made = await newSession(context, memberId, {
    scopes: [],
    lifetimeMs: RECOVERY_MS,
    isConfirmed: false,
  });
  const recovered = {
    type: "member.recovered" as const,
    data: { member, changed: [] },
  } satisfies EventContent;
  const { rows, recorded } = recordedSession(context, { accountId, member }, made.session, recovered);
  if (!(await spendRecoveryCode(rows, hash, made.session, recorded))) return await refused();
  announceLater({ ...context, account: { id: accountId } });
  return succeed(sessionView(made, member));
}
