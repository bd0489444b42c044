import { type Bytes, bytesOf, fromBase64, toBase64 } from "#sealing/bytes.ts";

// Source: Standard Webhooks 1.0.0, "Signature scheme". GitLab signs its hooks in the same way.

const SECRET_PREFIX = "whsec_";
const SIGNATURE_PREFIX = "v1,";
const HMAC = { name: "HMAC", hash: "SHA-256" } as const;

/** How far the time of a request may be from the receiver's, in seconds. */
export const TOLERANCE_S = 5 * 60;

/** A request, without its signature. */
export type SignedContent = {
  /** Header `webhook-id`. The same for each attempt. */
  readonly id: string;
  /** Header `webhook-timestamp`: the time of the attempt, in Unix seconds. */
  readonly timestamp: number;
  /** As it is sent: a body that was parsed and written again has another signature. */
  readonly body: string | Bytes;
};

/** The written form of a secret. @param key 24 to 64 random bytes */
export function formWebhookSecret(key: Uint8Array): string {
  return SECRET_PREFIX + toBase64(key);
}

/** The headers of a signed request: one signature for each secret, so that a receiver may know either of them. */
export async function signedHeaders(
  secrets: readonly string[],
  content: SignedContent,
): Promise<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  const signatures = await Promise.all(secrets.map((secret) => sign(secret, content)));
  return {
    "webhook-id": content.id,
    "webhook-timestamp": String(content.timestamp),
    "webhook-signature": signatures.join(" "),
  };
}

async function sign(secret: string, content: SignedContent): Promise<string> {
  const signature = await crypto.subtle.sign(HMAC, await keyOf(secret, "sign"), textToSign(content));
  return SIGNATURE_PREFIX + toBase64(new Uint8Array(signature));
}

/**
 * Whether a request was signed with one of the secrets, at most 5 minutes from now.
 * @param headers the values of the three headers; null: the request does not have it
 * @param nowS Unix seconds
 */
export async function isSigned(
  secrets: readonly string[],
  headers: Readonly<Record<"id" | "timestamp" | "signature", string | null>>,
  body: string | Bytes,
  nowS: number,
): Promise<boolean> {
  const { id, timestamp, signature } = headers;
  if (id === null || timestamp === null || signature === null) return false;
  // A `.` in the id would move the border between the signed parts.
  if (!/^[\x21-\x2d\x2f-\x7e]{1,200}$/.test(id) || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Number(timestamp) - nowS) > TOLERANCE_S) return false;
  const text = textToSign({ id, timestamp: Number(timestamp), body });
  // Few, because each costs a computation.
  const given = signature.split(" ", MAX_SIGNATURES).flatMap((part) => readSignature(part));
  for (const secret of secrets) {
    const key = await keyOf(secret, "verify");
    for (const bytes of given) if (await crypto.subtle.verify(HMAC, key, bytes, text)) return true;
  }
  return false;
}

const MAX_SIGNATURES = 8;

function readSignature(part: string): Bytes[] {
  const encoded = part.startsWith(SIGNATURE_PREFIX) ? part.slice(SIGNATURE_PREFIX.length) : "";
  return /^[A-Za-z0-9+/]{43}=$/.test(encoded) ? [fromBase64(encoded)] : [];
}

function textToSign({ id, timestamp, body }: SignedContent): Bytes {
  const head = bytesOf(`${id}.${timestamp}.`);
  const bytes = typeof body === "string" ? bytesOf(body) : body;
  const text = new Uint8Array(head.length + bytes.length);
  text.set(head);
  text.set(bytes, head.length);
  return text;
}

async function keyOf(secret: string, use: "sign" | "verify"): Promise<CryptoKey> {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  return await crypto.subtle.importKey("raw", fromBase64(encoded), HMAC, false, [use]);
}
