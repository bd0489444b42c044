import type { AccountId, ProjectId } from "#contract/ids.ts";
import { type Bytes, bytesOf, fromBase64Url, toBase64Url } from "#sealing/bytes.ts";
import { type KeyPair, open, seal } from "#sealing/hpke.ts";

/**
 * What a sealed secret belongs to. A box opens only with the same values, so it cannot be used for another variable, and
 * an earlier value cannot pass as a later one.
 */
export type SecretPlace = {
  readonly account_id: AccountId;
  readonly project_id: ProjectId;
  readonly name: string;
  /** The revision of the project's variables that sets the secret. */
  readonly revision: number;
};

const INFO = bytesOf("gantry secret, version 1");
const FINGERPRINT_BYTES = 16;

/** The fingerprint of a seal key: the first 16 bytes of its SHA-256, in base64url; 22 characters. */
export async function fingerprintOf(publicKey: Bytes): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", publicKey));
  return toBase64Url(hash.slice(0, FINGERPRINT_BYTES));
}

/**
 * Seals a secret for a server.
 * @param publicKey the server's seal key, in base64url
 * @returns the box in base64url, and the fingerprint of the key; null if the key is not an X25519 key
 */
export async function sealSecret(
  publicKey: string,
  place: SecretPlace,
  value: string,
): Promise<{ readonly fingerprint: string; readonly box: string } | null> {
  const key = fromBase64Url(publicKey);
  if (key === null) return null;
  const fingerprint = await fingerprintOf(key);
  const context = { info: INFO, aad: additionalData(place, fingerprint) };
  try {
    return { fingerprint, box: toBase64Url(await seal(key, context, bytesOf(value))) };
  } catch {
    return null;
  }
}

/** @returns null if the box was sealed for another server or another place, or was changed */
export async function openSecret(keys: KeyPair, place: SecretPlace, box: string): Promise<string | null> {
  const bytes = fromBase64Url(box);
  if (bytes === null) return null;
  const fingerprint = await fingerprintOf(keys.publicKey);
  const opened = await open(keys, { info: INFO, aad: additionalData(place, fingerprint) }, bytes);
  // A byte order mark at the beginning is part of the value.
  return opened === null ? null : new TextDecoder("utf-8", { ignoreBOM: true }).decode(opened);
}

/** None of the parts contains a NUL, so no two places have the same data. */
function additionalData({ account_id, project_id, name, revision }: SecretPlace, fingerprint: string): Bytes {
  return bytesOf([account_id, project_id, name, String(revision), fingerprint].join("\0"));
}
