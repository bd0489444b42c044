import type { SealedSecret, SealedValue } from "#contract/endpoints/variables/schemas.ts";
import type { AccountId, ProjectId } from "#contract/ids.ts";
import { type Bytes, bytesOf, concatenate, fromBase64Url, toBase64Url } from "#sealing/bytes.ts";
import { type KeyPair, open, seal, type SealContext } from "#sealing/hpke.ts";

/**
 * What a sealed secret belongs to. It opens only with the same values, so it cannot be used for another variable, and
 * an earlier value cannot pass as a later one.
 */
export type SecretPlace = {
  readonly account_id: AccountId;
  readonly project_id: ProjectId;
  readonly name: string;
  /** The revision of the project's variables that sets the secret. */
  readonly revision: number;
};

/** A secret, sealed for servers: with `ciphertext`, the boxes have its key, and without it the value. */
export type SealedForServers = { readonly sealed: SealedValue[]; readonly ciphertext?: string };

/** What a box has. Another `info` for each, so that a key never passes as a value, nor a value as a key. */
const VALUE_INFO = bytesOf("gantry secret, version 1");
const KEY_INFO = bytesOf("gantry secret, version 2");

const FINGERPRINT_BYTES = 16;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;

/** The fingerprint of a seal key: the first 16 bytes of its SHA-256, in base64url; 22 characters. */
export async function fingerprintOf(publicKey: Bytes): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", publicKey));
  return toBase64Url(hash.slice(0, FINGERPRINT_BYTES));
}

/**
 * Seals a secret for the servers of a project. For one server the value is in its box, which agents of every version
 * open. For several the value is encrypted once, and each box has the key: 50 boxes with a long value each would not fit
 * into a row of the database.
 * @param publicKeys the servers' seal keys, in base64url; a key that several servers have gets one box
 * @returns null without keys, or if one of them is not an X25519 key
 */
export async function sealForServers(
  publicKeys: readonly string[],
  place: SecretPlace,
  value: string,
): Promise<SealedForServers | null> {
  const [first, ...others] = new Set(publicKeys);
  if (first === undefined) return null;
  if (others.length === 0) {
    const one = await sealSecret(first, place, value);
    return one === null ? null : { sealed: [one] };
  }
  const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const boxes = await Promise.all(
    [first, ...others].map(async (publicKey) => await sealBox(publicKey, place, key, KEY_INFO)),
  );
  const sealed = boxes.filter((box) => box !== null);
  if (sealed.length < boxes.length) return null;
  return { sealed, ciphertext: toBase64Url(await encrypt(key, place, bytesOf(value))) };
}

/**
 * Seals a secret for one server, with the value in the box.
 * @param publicKey the server's seal key, in base64url
 * @returns the box in base64url, and the fingerprint of the key; null if the key is not an X25519 key
 */
export async function sealSecret(
  publicKey: string,
  place: SecretPlace,
  value: string,
): Promise<SealedValue | null> {
  return await sealBox(publicKey, place, bytesOf(value), VALUE_INFO);
}

/** @returns null if the secret was sealed for another server or another place, or was changed */
export async function openSecret(
  keys: KeyPair,
  place: SecretPlace,
  { box, ciphertext }: Pick<SealedSecret, "box" | "ciphertext">,
): Promise<string | null> {
  const bytes = fromBase64Url(box);
  if (bytes === null) return null;
  const info = ciphertext === undefined ? VALUE_INFO : KEY_INFO;
  const content = await open(keys, await contextOf(info, place, keys.publicKey), bytes);
  if (content === null) return null;
  const value = ciphertext === undefined ? content : await decrypt(content, place, ciphertext);
  // A byte order mark at the beginning is part of the value.
  return value === null ? null : new TextDecoder("utf-8", { ignoreBOM: true }).decode(value);
}

async function sealBox(
  publicKey: string,
  place: SecretPlace,
  content: Bytes,
  info: Bytes,
): Promise<SealedValue | null> {
  const key = fromBase64Url(publicKey);
  if (key === null) return null;
  try {
    const box = await seal(key, await contextOf(info, place, key), content);
    return { fingerprint: await fingerprintOf(key), box: toBase64Url(box) };
  } catch {
    return null;
  }
}

/** @returns the nonce and the ciphertext of AES-256-GCM, 28 bytes longer than the value */
async function encrypt(key: Bytes, place: SecretPlace, value: Bytes): Promise<Bytes> {
  // A key encrypts one value. The nonce is random all the same, for clients that use a key again by mistake.
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const encryption = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
  const algorithm = { name: "AES-GCM", iv, additionalData: dataOf(place) };
  return concatenate(iv, new Uint8Array(await crypto.subtle.encrypt(algorithm, encryption, value)));
}

/** @returns null if it was encrypted with another key or for another place, or was changed */
async function decrypt(key: Bytes, place: SecretPlace, ciphertext: string): Promise<Bytes | null> {
  const bytes = fromBase64Url(ciphertext);
  if (bytes === null || key.length !== KEY_BYTES) return null;
  const algorithm = { name: "AES-GCM", iv: bytes.slice(0, NONCE_BYTES), additionalData: dataOf(place) };
  try {
    const decryption = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, decryption, bytes.slice(NONCE_BYTES)));
  } catch {
    return null;
  }
}

async function contextOf(info: Bytes, place: SecretPlace, publicKey: Bytes): Promise<SealContext> {
  return { info, aad: dataOf(place, await fingerprintOf(publicKey)) };
}

/** The additional data. None of the parts contains a NUL, so no two places have the same data. */
function dataOf({ account_id, project_id, name, revision }: SecretPlace, ...more: readonly string[]): Bytes {
  return bytesOf([account_id, project_id, name, String(revision), ...more].join("\0"));
}
