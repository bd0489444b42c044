import type { ConnectionId, TokenId } from "#contract/ids.ts";
import { ConnectionId as ConnectionIdSchema } from "#contract/ids.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { type Bytes, bytesOf, concatenate, fromBase64Url, sha256, toBase64Url } from "#sealing/bytes.ts";

// The state of a sign-in by a provider, which travels through the provider and back. As for the challenges of passkeys, its MAC proves
// that this installation made it, so nothing is stored before a sign-in succeeds. The nonce and the PKCE verifier are derived from
// it with the installation's key. It counts once, because `used_secrets` keeps its hash.

/** What the answer does. What somebody who is signed in has started counts only in their session. */
export type StateUse =
  | { readonly act: "sign_in" }
  | { readonly act: "confirm" | "add_identity" | "test"; readonly tokenId: TokenId };

export type Derived = { readonly nonce: string; readonly verifier: string };

/** `hash`: SHA-256 in hex. `expiresAt`: Unix milliseconds. */
export type CheckedState = Derived & {
  readonly state: string;
  readonly hash: string;
  readonly expiresAt: number;
};

/** How long a person has to sign in at the provider. */
export const STATE_MS = 10 * 60_000;

// 87 bytes in all. Base64 has one form of a number of bytes that 3 divides.
const RANDOM_BYTES = 20;
const EXPIRY_BYTES = 4;
const ID_BYTES = 31;
const CONTENT_BYTES = RANDOM_BYTES + EXPIRY_BYTES + ID_BYTES;
const MAC_BYTES = 32;

/**
 * Creates a state in base64url.
 * @param bindingHash SHA-256 in hex of a secret of the browser's tab
 * @param now Unix milliseconds
 */
export async function createState(
  key: CryptoKey,
  {
    connectionId,
    bindingHash,
    use,
  }: { readonly connectionId: ConnectionId; readonly bindingHash: string; readonly use: StateUse },
  { now, randomBytes }: { readonly now: number; readonly randomBytes: (count: number) => Uint8Array },
): Promise<Derived & { readonly state: string; readonly expiresAt: number }> {
  const content = new Uint8Array(CONTENT_BYTES);
  const expiresAt = Math.ceil((now + STATE_MS) / 1_000);
  content.set(randomBytes(RANDOM_BYTES));
  new DataView(content.buffer).setUint32(RANDOM_BYTES, expiresAt);
  content.set(bytesOf(connectionId), RANDOM_BYTES + EXPIRY_BYTES);
  const mac = await macOf(key, "state", content, `${bindingHash} ${nameOf(use)}`);
  const state = toBase64Url(concatenate(content, mac));
  return { state, expiresAt: expiresAt * 1_000, ...(await derivedFrom(key, content)) };
}

/** The connection that a state names; null: it is none. It counts only after `checkState`. */
export function connectionIn(state: string): ConnectionId | null {
  const content = contentOf(state);
  if (content === null) return null;
  const id = new TextDecoder().decode(content.slice(RANDOM_BYTES + EXPIRY_BYTES));
  return ConnectionIdSchema.safeParse(id).data ?? null;
}

/**
 * Checks a state that comes back: that this installation made it, for this use and for the tab that has the binding, and that it has
 * not expired. The caller must store its hash in the batch that does what it is for.
 * @param now Unix milliseconds
 */
export async function checkState(
  key: CryptoKey,
  state: string,
  { binding, use }: { readonly binding: string; readonly use: StateUse },
  now: number,
): Promise<ResultOf<CheckedState, { readonly problem: "invalid" | "expired" }>> {
  const content = contentOf(state);
  const whole = fromBase64Url(state);
  if (content === null || whole === null) return { ok: false, problem: "invalid" };
  const text = `${await sha256(binding)} ${nameOf(use)}`;
  const isMade = await crypto.subtle.verify(
    "HMAC",
    key,
    whole.slice(CONTENT_BYTES),
    textToSign("state", content, text),
  );
  if (!isMade) return { ok: false, problem: "invalid" };
  const expiresAt = new DataView(content.buffer).getUint32(RANDOM_BYTES) * 1_000;
  if (expiresAt <= now) return { ok: false, problem: "expired" };
  return succeed({ state, hash: await sha256(whole), expiresAt, ...(await derivedFrom(key, content)) });
}

function contentOf(state: string): Bytes | null {
  const bytes = fromBase64Url(state);
  return bytes === null || bytes.length !== CONTENT_BYTES + MAC_BYTES ? null : bytes.slice(0, CONTENT_BYTES);
}

/** A verifier has 43 characters at least. Source: RFC 7636 section 4.1. */
async function derivedFrom(key: CryptoKey, content: Bytes): Promise<Derived> {
  return {
    nonce: toBase64Url(await macOf(key, "nonce", content)),
    verifier: toBase64Url(await macOf(key, "verifier", content)),
  };
}

type Purpose = "state" | "nonce" | "verifier";

async function macOf(key: CryptoKey, purpose: Purpose, content: Bytes, text = ""): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, textToSign(purpose, content, text)));
}

/** The key also makes the challenges of passkeys, whose texts begin with random bytes and are shorter. */
function textToSign(purpose: Purpose, content: Bytes, text: string): Bytes {
  return concatenate(bytesOf(`gantry sign-in ${purpose}\0`), content, bytesOf(text));
}

function nameOf(use: StateUse): string {
  return use.act === "sign_in" ? use.act : `${use.act} ${use.tokenId}`;
}
