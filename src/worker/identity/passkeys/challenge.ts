import type { InvitationId, TokenId } from "#contract/ids.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { type Bytes, bytesOf, concatenate, fromBase64Url, sha256, toBase64Url } from "#sealing/bytes.ts";

// The MAC proves that this installation made a challenge. So a challenge is not stored before it is answered, and strangers
// cannot fill the database. It counts once, because `used_secrets` keeps its hash after the answer.

/**
 * What the answer to a challenge does. A session adds passkeys and is confirmed only by challenges that it asked for, and somebody
 * joins only by a challenge of their invitation.
 */
export type ChallengeUse =
  | { readonly act: "sign_in" }
  | { readonly act: "join"; readonly invitationId: InvitationId }
  | { readonly act: "add_passkey" | "confirm"; readonly tokenId: TokenId };

/** `hash`: SHA-256 in hex. `expiresAt`: Unix milliseconds. */
export type CheckedChallenge = { readonly hash: string; readonly expiresAt: number };

/** How long a person has to find their passkey. */
export const CHALLENGE_MS = 5 * 60_000;

const HMAC = { name: "HMAC", hash: "SHA-256" } as const;

// 54 bytes in all. Base64 has one form of a number of bytes that 3 divides.
const RANDOM_BYTES = 18;
const EXPIRY_BYTES = 4;
const CONTENT_BYTES = RANDOM_BYTES + EXPIRY_BYTES;
const MAC_BYTES = 32;

/** The key for challenges. @param secret 32 random bytes of the installation */
export async function importChallengeKey(secret: Bytes): Promise<CryptoKey> {
  return await crypto.subtle.importKey("raw", secret, HMAC, false, ["sign", "verify"]);
}

/** Creates a challenge in base64url. @param now Unix milliseconds */
export async function createChallenge(
  key: CryptoKey,
  use: ChallengeUse,
  { now, randomBytes }: { readonly now: number; readonly randomBytes: (count: number) => Uint8Array },
): Promise<string> {
  const content = new Uint8Array(CONTENT_BYTES);
  content.set(randomBytes(RANDOM_BYTES));
  new DataView(content.buffer).setUint32(RANDOM_BYTES, Math.ceil((now + CHALLENGE_MS) / 1_000));
  const mac = await crypto.subtle.sign(HMAC, key, textToSign(content, use));
  return toBase64Url(concatenate(content, new Uint8Array(mac)));
}

/**
 * Checks a challenge that a browser sends back: that this installation made it, for this use, and that it has not expired.
 * The caller must store its hash in the batch that does what it is for.
 * @param now Unix milliseconds
 */
export async function checkChallenge(
  key: CryptoKey,
  challenge: string,
  use: ChallengeUse,
  now: number,
): Promise<ResultOf<CheckedChallenge, { readonly problem: "invalid" | "expired" }>> {
  const bytes = fromBase64Url(challenge);
  if (bytes === null || bytes.length !== CONTENT_BYTES + MAC_BYTES) return { ok: false, problem: "invalid" };
  const content = bytes.slice(0, CONTENT_BYTES);
  const mac = bytes.slice(CONTENT_BYTES);
  if (!(await crypto.subtle.verify(HMAC, key, mac, textToSign(content, use))))
    return { ok: false, problem: "invalid" };
  const expiresAt = new DataView(content.buffer).getUint32(RANDOM_BYTES) * 1_000;
  if (expiresAt <= now) return { ok: false, problem: "expired" };
  return succeed({ hash: await sha256(bytes), expiresAt });
}

function textToSign(content: Bytes, use: ChallengeUse): Bytes {
  return concatenate(content, bytesOf(nameOf(use)));
}

function nameOf(use: ChallengeUse): string {
  switch (use.act) {
    case "sign_in":
      return use.act;
    case "join":
      return `${use.act} ${use.invitationId}`;
    case "add_passkey":
    case "confirm":
      return `${use.act} ${use.tokenId}`;
  }
}
