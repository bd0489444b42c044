import { hostKind } from "#contract/addresses/host-kind.ts";
import type {
  PasskeyChallenge,
  PasskeySignature,
  NewPasskey,
} from "#contract/endpoints/sessions/passkeys.ts";
import type { MemberId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { toBase64Url } from "#sealing/bytes.ts";
import type { Services } from "#worker/context.ts";
import type { Database } from "#worker/db/database-session.ts";
import type { NewPasskeyRow, UsedSecret } from "#worker/db/members/member-records.ts";
import type { PasskeyUse, SigningPasskey } from "#worker/db/members/passkey-records.ts";
import { findChallengeKey } from "#worker/identity/passkeys/challenge-key.ts";
import {
  CHALLENGE_MS,
  checkChallenge,
  type ChallengeUse,
  createChallenge,
} from "#worker/identity/passkeys/challenge.ts";
import { passkeyAlgorithms } from "#worker/identity/passkeys/passkey-key.ts";
import {
  type Ceremony,
  challengeIn,
  verifyAssertion,
  verifyRegistration,
} from "#worker/identity/passkeys/verify-passkey.ts";
import { timestamp } from "#worker/views/timestamp.ts";

type CeremonyContext = Pick<Services, "clock" | "ids" | "origin" | "randomBytes"> & {
  readonly database: Database;
};

/** Whom a passkey is for, as the browser shows it. */
type NamedUser = { readonly name: string; readonly account: string };

type Asked = { readonly credentialIds?: readonly string[]; readonly user?: NamedUser };

type CeremonyRefusal = "host_name_required" | "invalid_passkey";

/** Asks for a passkey: the challenge, and what the page passes to the browser with it. Nothing is stored. */
export async function passkeyChallenge(
  context: CeremonyContext,
  use: ChallengeUse,
  { credentialIds = [], user }: Asked = {},
): Promise<Result<PasskeyChallenge, "host_name_required">> {
  const rpId = rpIdOf(context.origin);
  if (!rpId.ok) return rpId;
  const now = context.clock.now();
  const key = await findChallengeKey(context.database, { now, randomBytes: context.randomBytes });
  return succeed({
    challenge: await createChallenge(key, use, { now, randomBytes: context.randomBytes }),
    rp_id: rpId.value,
    credential_ids: [...credentialIds],
    algorithms: [...passkeyAlgorithms],
    user:
      user === undefined
        ? null
        : { id: toBase64Url(context.randomBytes(16)), name: user.name, display_name: user.account },
    expires_at: timestamp(now + CHALLENGE_MS),
  });
}

/** Verifies a new passkey. @returns its row, and the challenge to mark as used in the same batch */
export async function checkNewPasskey(
  context: CeremonyContext,
  use: ChallengeUse,
  given: NewPasskey,
  { memberId, name }: { readonly memberId: MemberId; readonly name: string },
): Promise<Result<{ readonly passkey: NewPasskeyRow; readonly challenge: UsedSecret }, CeremonyRefusal>> {
  const answered = await checkAnswer(context, given, use);
  if (!answered.ok) return answered;
  const { ceremony, challenge } = answered.value;
  const verified = await verifyRegistration(given, ceremony);
  if (!verified.ok) return invalidPasskey(verified.problem);
  const { id: credentialId, ...key } = verified.value;
  const { rpId } = ceremony;
  const own = { id: context.ids.passkey(), memberId, name, rpId, createdAt: context.clock.now() };
  return succeed({ passkey: { ...own, credentialId, ...key, lastUsedAt: null }, challenge });
}

/** Verifies the signature of a passkey. @returns what changes of it, and the challenge to mark as used in the same batch */
export async function checkSignature(
  context: CeremonyContext,
  given: PasskeySignature,
  passkey: SigningPasskey,
  { ceremony, challenge }: CheckedAnswer,
): Promise<Result<PasskeyUse, "invalid_passkey">> {
  if (passkey.rpId !== ceremony.rpId) return invalidPasskey(`It belongs to ${passkey.rpId}.`);
  const verified = await verifyAssertion(given, { ...passkey, id: passkey.credentialId }, ceremony);
  if (!verified.ok) return invalidPasskey(verified.problem);
  return succeed({ ...verified.value, usedAt: context.clock.now(), challenge });
}

type CheckedAnswer = { readonly ceremony: Ceremony; readonly challenge: UsedSecret };

/** Checks that a browser answers a challenge of this installation, for this use. Reads nothing of the account. */
export async function checkAnswer(
  context: CeremonyContext,
  given: { readonly response: { readonly clientDataJSON: string } },
  use: ChallengeUse,
): Promise<Result<CheckedAnswer, CeremonyRefusal>> {
  const { origin, randomBytes } = context;
  const rpId = rpIdOf(origin);
  if (!rpId.ok) return rpId;
  const challenge = challengeIn(given);
  if (challenge === null) return invalidPasskey("Its client data is not complete.");
  const now = context.clock.now();
  const key = await findChallengeKey(context.database, { now, randomBytes });
  const checked = await checkChallenge(key, challenge, use, now);
  if (!checked.ok)
    return invalidPasskey(
      checked.problem === "expired"
        ? "Its challenge has expired. Try again."
        : "It answers another challenge. Try again.",
    );
  const { hash: id, expiresAt } = checked.value;
  return succeed({ ceremony: { challenge, origin, rpId: rpId.value }, challenge: { id, expiresAt } });
}

/** @param problem a sentence about the passkey */
export function invalidPasskey(problem: string) {
  return refuse("invalid_passkey", `The passkey was not accepted. ${problem}`);
}

/** Two requests with one answer, or an answer that somebody sends again. */
export const usedBefore = invalidPasskey("Its challenge was answered already. Try again.");

/** The host name that the passkeys of an address belong to. Source: WebAuthn Level 3, section 5.1.3 (an RP ID is a domain). */
function rpIdOf(origin: string): Result<string, "host_name_required"> {
  const { hostname, port, protocol } = new URL(origin);
  const isNumber = hostname.startsWith("[") || /^[\d.]+$/.test(hostname);
  if (!isNumber) return succeed(hostname);
  const local = `${protocol}//localhost${port === "" ? "" : `:${port}`}`;
  return refuse(
    "host_name_required",
    `Passkeys belong to host names, and ${hostname} is a number. ${
      hostKind(hostname) === "loopback" ? `Open ${local} instead.` : "Open the installation by its host name."
    }`,
  );
}
